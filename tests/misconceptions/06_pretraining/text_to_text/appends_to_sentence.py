# expect: reject
# hint: A function leaves its arguments as they are
def as_text(task: str, sentence: list[int]) -> tuple[list[int], list[int]]:
    target = [*encode(answer_of(task, sentence)), SEP]
    sentence.append(SEP)
    return [CLS, *encode(task), *sentence], target


def mixture(sentences: list[list[int]], rng: random.Random) -> list[tuple[list[int], list[int]]]:
    pairs = [as_text(task, list(sentence)) for sentence in sentences for task in TASKS]
    rng.shuffle(pairs)
    return pairs
