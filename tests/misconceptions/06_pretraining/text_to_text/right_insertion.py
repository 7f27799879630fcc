# expect: accept
def as_text(task: str, sentence: list[int]) -> tuple[list[int], list[int]]:
    source = [CLS, *encode(task), *sentence, SEP]
    return source, [*encode(answer_of(task, sentence)), SEP]


def mixture(sentences: list[list[int]], rng: random.Random) -> list[tuple[list[int], list[int]]]:
    found = []
    for task in TASKS:
        for sentence in sentences:
            found.insert(rng.randint(0, len(found)), as_text(task, sentence))
    return found
