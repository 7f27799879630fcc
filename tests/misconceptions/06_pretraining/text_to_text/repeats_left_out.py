# expect: reject
# hint: a sentence that stands twice in the list comes twice for every task: a set or a dictionary of sentences loses it
def as_text(task: str, sentence: list[int]) -> tuple[list[int], list[int]]:
    source = [CLS, *encode(task), *sentence, SEP]
    return source, [*encode(answer_of(task, sentence)), SEP]


def mixture(sentences: list[list[int]], rng: random.Random) -> list[tuple[list[int], list[int]]]:
    different = dict.fromkeys(map(tuple, sentences))
    pairs = [as_text(task, list(sentence)) for sentence in different for task in TASKS]
    rng.shuffle(pairs)
    return pairs
