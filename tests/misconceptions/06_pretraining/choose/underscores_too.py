# expect: reject
# hint: only the names of the table count, letter by letter: for a task that is spelled otherwise raise ValueError
KINDS = {
    "summarise": "encoder-decoder",
    "translate": "encoder-decoder",
    "sentiment": "encoder",
    "retrieval": "encoder",
    "tag words": "encoder",
    "story": "decoder",
}


def choose(task: str) -> str:
    task = task.replace("_", " ")
    if task not in KINDS:
        raise ValueError(task)
    return KINDS[task]
