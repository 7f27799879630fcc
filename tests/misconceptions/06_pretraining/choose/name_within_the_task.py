# expect: reject
# hint: only the names of the table count, letter by letter: for a task that is spelled otherwise raise ValueError
KINDS = {
    "summarise": "encoder-decoder",
    "translate": "encoder-decoder",
    "sentiment": "encoder",
    "retrieval": "encoder",
    "tag words": "encoder",
    "story": "decoder",
}


def choose(task: str) -> str:
    for name, kind in KINDS.items():
        if name in task:
            return kind
    raise ValueError(task)
