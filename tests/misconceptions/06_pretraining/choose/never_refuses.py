# expect: reject
# hint: a task that the table lacks got a kind all the same: raise ValueError instead of guessing
def choose(task: str) -> str:
    """The kind of model for a task of the table: "encoder", "decoder" or "encoder-decoder". Raises ValueError for others."""
    return {"summarise": "encoder-decoder", "translate": "encoder-decoder", "story": "decoder"}.get(task, "encoder")
