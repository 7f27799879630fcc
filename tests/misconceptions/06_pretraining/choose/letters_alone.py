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
        if [c for c in name if c.isalpha()] == [c for c in task if c.isalpha()]:
            return kind
    raise ValueError(task)
