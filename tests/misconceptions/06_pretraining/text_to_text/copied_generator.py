# expect: reject
# hint: a second call with the same generator gives another order
import copy


def as_text(task: str, sentence: list[int]) -> tuple[list[int], list[int]]:
    """Source ``[CLS] task sentence [SEP]`` and target ``answer [SEP]``, lists of ids.

    Args:
        task: one of TASKS; its name is the prefix.
        sentence: word ids of a sentence like ``anna saw the bank by the river .``
    """
    source = [CLS, *encode(task), *sentence, SEP]
    return source, [*encode(answer_of(task, sentence)), SEP]


def mixture(sentences: list[list[int]], rng: random.Random) -> list[tuple[list[int], list[int]]]:
    """Pairs (source, target): every sentence of the list once for every task of TASKS, in random order."""
    pairs = [as_text(task, sentence) for sentence in sentences for task in TASKS]
    copy.copy(rng).shuffle(pairs)
    return pairs