# expect: reject
# hint: each pair has the same chance at every place
def as_text(task, sentence):
    return [CLS, *encode(task), *sentence, SEP], [*encode(answer_of(task, sentence)), SEP]


def mixture(sentences, rng):
    pairs = [as_text(task, sentence) for sentence in sentences for task in TASKS]
    for i in range(len(pairs)):
        j = rng.randrange(len(pairs))
        pairs[i], pairs[j] = pairs[j], pairs[i]
    return pairs
