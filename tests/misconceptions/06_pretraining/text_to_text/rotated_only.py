# expect: reject
# hint: the order is only rotated: each pair must be able to follow each other one, as rng.shuffle makes it
def as_text(task: str, sentence: list[int]) -> tuple[list[int], list[int]]:
    source = [CLS, *encode(task), *sentence, SEP]
    return source, [*encode(answer_of(task, sentence)), SEP]


def mixture(sentences: list[list[int]], rng: random.Random) -> list[tuple[list[int], list[int]]]:
    pairs = [as_text(task, sentence) for sentence in sentences for task in TASKS]
    start = rng.randrange(len(pairs))
    return pairs[start:] + pairs[:start]
