# expect: reject
# hint: the tasks of a sentence are exchanged by a coin, but the sentences stay in their order: shuffle all pairs
def as_text(task: str, sentence: list[int]) -> tuple[list[int], list[int]]:
    source = [CLS, *encode(task), *sentence, SEP]
    return source, [*encode(answer_of(task, sentence)), SEP]


def mixture(sentences: list[list[int]], rng: random.Random) -> list[tuple[list[int], list[int]]]:
    pairs = []
    for sentence in sentences:
        both = [as_text(task, sentence) for task in TASKS]
        pairs += both if rng.random() < 0.5 else both[::-1]
    return pairs
