# expect: reject
# hint: pairs are drawn with repetition, so some come twice and others never: shuffle them
def as_text(task: str, sentence: list[int]) -> tuple[list[int], list[int]]:
    source = [CLS, *encode(task), *sentence, SEP]
    return source, [*encode(answer_of(task, sentence)), SEP]


def mixture(sentences: list[list[int]], rng: random.Random) -> list[tuple[list[int], list[int]]]:
    pairs = [as_text(task, sentence) for sentence in sentences for task in TASKS]
    return rng.choices(pairs, k=len(pairs))
