# expect: reject
# hint: Only the names of the table are tasks, spelled as there; for any other raise ValueError.
KIND = {"summarise": "encoder-decoder", "sentiment": "encoder", "retrieval": "encoder", "translate": "encoder-decoder", "story": "decoder", "tag words": "encoder"}
def choose(task):
    task = task.replace("summarize", "summarise")
    if task not in KIND:
        raise ValueError(f"no such task: {task}")
    return KIND[task]
