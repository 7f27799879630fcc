# expect: reject
# hint: each task's pairs are shuffled, but the tasks come in blocks, one after the other: shuffle all pairs together
def as_text(task: str, sentence: list[int]) -> tuple[list[int], list[int]]:
    source = [CLS, *encode(task), *sentence, SEP]
    return source, [*encode(answer_of(task, sentence)), SEP]


def mixture(sentences: list[list[int]], rng: random.Random) -> list[tuple[list[int], list[int]]]:
    pairs = []
    for task in TASKS:
        block = [as_text(task, sentence) for sentence in sentences]
        rng.shuffle(block)
        pairs += block
    return pairs
