# expect: reject
# hint: the tasks take turns in a fixed order: shuffle all pairs, not those of each task
def as_text(task: str, sentence: list[int]) -> tuple[list[int], list[int]]:
    source = [CLS, *encode(task), *sentence, SEP]
    return source, [*encode(answer_of(task, sentence)), SEP]


def mixture(sentences: list[list[int]], rng: random.Random) -> list[tuple[list[int], list[int]]]:
    rows = []
    for task in TASKS:
        row = [as_text(task, sentence) for sentence in sentences]
        rng.shuffle(row)
        rows.append(row)
    return [pair for both in zip(*rows, strict=True) for pair in both]
