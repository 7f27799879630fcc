# expect: reject
# hint: for each task return one of the three kinds, spelled as in the text
def choose(task: str) -> str:
    """The kind of model for a task of the table: "encoder", "decoder" or "encoder-decoder". Raises ValueError for others."""
    return {"summarise": "T5", "translate": "T5", "story": "GPT"}.get(task, "BERT")
