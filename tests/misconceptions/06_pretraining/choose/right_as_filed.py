# expect: accept
def choose(task: str) -> str:
    """The kind of model for a task of the table: "encoder", "decoder" or "encoder-decoder". Raises ValueError for others."""
    kinds = {
        "encoder": ("sentiment", "retrieval", "tag words"),
        "encoder-decoder": ("summarise", "translate"),
        "decoder": ("story",),
    }
    for kind, tasks in kinds.items():
        if task in tasks:
            return kind
    raise ValueError(f"no rule for {task!r}")
