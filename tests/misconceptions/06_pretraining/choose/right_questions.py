# expect: accept
def choose(task: str) -> str:
    """The kind of model for a task of the table: "encoder", "decoder" or "encoder-decoder". Raises ValueError for others."""
    writes = {"summarise": True, "translate": True, "story": True, "sentiment": False, "retrieval": False, "tag words": False}
    if task not in writes:
        raise ValueError(f"{task} is not in the table")
    if not writes[task]:
        return "encoder"
    return "decoder" if task == "story" else "encoder-decoder"
