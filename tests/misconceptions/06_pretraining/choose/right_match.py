# expect: accept
def choose(task: str) -> str:
    """The kind of model for a task of the table: "encoder", "decoder" or "encoder-decoder". Raises ValueError for others."""
    match task:
        case "sentiment" | "retrieval" | "tag words":
            return "encoder"
        case "summarise" | "translate":
            return "encoder-decoder"
        case "story":
            return "decoder"
    raise ValueError(task)
