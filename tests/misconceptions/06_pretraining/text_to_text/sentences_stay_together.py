# expect: reject
# hint: the two pairs of a sentence stand side by side: shuffle the pairs, not the sentences
def as_text(task: str, sentence: list[int]) -> tuple[list[int], list[int]]:
    source = [CLS, *encode(task), *sentence, SEP]
    return source, [*encode(answer_of(task, sentence)), SEP]


def mixture(sentences: list[list[int]], rng: random.Random) -> list[tuple[list[int], list[int]]]:
    order = list(sentences)
    rng.shuffle(order)
    return [as_text(task, sentence) for sentence in order for task in rng.sample(TASKS, len(TASKS))]
