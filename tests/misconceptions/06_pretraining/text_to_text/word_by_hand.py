# expect: reject
# hint: the answer must fit every sentence of the kind: take it from answer_of(task, sentence)
def as_text(task: str, sentence: list[int]) -> tuple[list[int], list[int]]:
    said = sentence[0] if task == "who" else encode("nature" if "river" in decode(sentence) else "town")[0]
    return [CLS, *encode(task), *sentence, SEP], [said, SEP]


def mixture(sentences: list[list[int]], rng: random.Random) -> list[tuple[list[int], list[int]]]:
    pairs = [as_text(task, sentence) for sentence in sentences for task in TASKS]
    rng.shuffle(pairs)
    return pairs
