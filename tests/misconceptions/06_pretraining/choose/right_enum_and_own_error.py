# expect: accept
import enum


class UnknownTask(ValueError):
    """No rule for this task."""


class Kind(str, enum.Enum):
    ENCODER = "encoder"
    DECODER = "decoder"
    BOTH = "encoder-decoder"


def choose(task: str) -> str:
    if task == "story":
        return Kind.DECODER.value
    if task in {"summarise", "translate"}:
        return Kind.BOTH.value
    if task in {"sentiment", "retrieval", "tag words"}:
        return Kind.ENCODER.value
    raise UnknownTask(task)
