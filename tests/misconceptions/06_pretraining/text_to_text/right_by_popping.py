# expect: accept
def as_text(task: str, sentence: list[int]) -> tuple[list[int], list[int]]:
    source = [CLS, *encode(task), *sentence, SEP]
    return source, [*encode(answer_of(task, sentence)), SEP]


def mixture(sentences: list[list[int]], rng: random.Random) -> list[tuple[list[int], list[int]]]:
    pairs = [as_text(task, sentence) for task in TASKS for sentence in sentences]
    found = []
    while pairs:
        found.append(pairs.pop(rng.randrange(len(pairs))))
    return found
