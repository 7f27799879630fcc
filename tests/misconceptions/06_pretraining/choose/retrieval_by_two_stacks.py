# expect: reject
# hint: second stack has nothing to do
def choose(task: str) -> str:
    """The kind of model for a task of the table: "encoder", "decoder" or "encoder-decoder". Raises ValueError for others."""
    kinds = {
        "summarise": "encoder-decoder",
        "sentiment": "encoder",
        "retrieval": "encoder-decoder",
        "translate": "encoder-decoder",
        "story": "decoder",
        "tag words": "encoder",
    }
    if task not in kinds:
        raise ValueError(task)
    return kinds[task]
