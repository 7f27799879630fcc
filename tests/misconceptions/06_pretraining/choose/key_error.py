# expect: reject
# hint: for a task that the table lacks, raise ValueError
def choose(task: str) -> str:
    """The kind of model for a task of the table: "encoder", "decoder" or "encoder-decoder". Raises ValueError for others."""
    kinds = {"summarise": "encoder-decoder", "translate": "encoder-decoder", "story": "decoder"}
    kinds |= dict.fromkeys(("sentiment", "retrieval", "tag words"), "encoder")
    return kinds[task]
