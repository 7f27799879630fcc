# expect: reject
# hint: one kind for everything is no choice: ask what has to be written
def choose(task: str) -> str:
    """The kind of model for a task of the table: "encoder", "decoder" or "encoder-decoder". Raises ValueError for others."""
    return "decoder"
