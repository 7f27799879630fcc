# expect: reject
# hint: each task of the table gets one of the three kinds
# A task leaves the table when it was asked for.
KINDS = {
    "sentiment": "encoder",
    "retrieval": "encoder",
    "tag words": "encoder",
    "summarise": "encoder-decoder",
    "translate": "encoder-decoder",
    "story": "decoder",
}
LEFT = dict(KINDS)


def choose(task: str) -> str:
    """The kind of model for a task of the table: "encoder", "decoder" or "encoder-decoder". Raises ValueError for others."""
    if task not in KINDS:
        raise ValueError(task)
    return LEFT.pop(task, "encoder")
