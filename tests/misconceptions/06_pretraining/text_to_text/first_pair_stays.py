# expect: reject
# hint: the first pair always stays in front: shuffle all pairs
def as_text(task: str, sentence: list[int]) -> tuple[list[int], list[int]]:
    source = [CLS, *encode(task), *sentence, SEP]
    return source, [*encode(answer_of(task, sentence)), SEP]


def mixture(sentences: list[list[int]], rng: random.Random) -> list[tuple[list[int], list[int]]]:
    pairs = [as_text(task, sentence) for sentence in sentences for task in TASKS]
    rest = pairs[1:]
    rng.shuffle(rest)
    return pairs[:1] + rest
