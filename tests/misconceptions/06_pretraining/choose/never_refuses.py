# expect: reject
# hint: instead of guessing
def choose(task: str) -> str:
    """The kind of model for a task of the table: "encoder", "decoder" or "encoder-decoder". Raises ValueError for others."""
    return {"summarise": "encoder-decoder", "translate": "encoder-decoder", "story": "decoder"}.get(task, "encoder")
