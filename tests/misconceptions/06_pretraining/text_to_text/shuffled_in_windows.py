# expect: reject
# hint: a list of hundreds of sentences is shuffled as a whole
def as_text(task, sentence):
    return [CLS, *encode(task), *sentence, SEP], [*encode(answer_of(task, sentence)), SEP]


def mixture(sentences, rng):
    pairs = [as_text(task, sentence) for sentence in sentences for task in TASKS]
    if len(pairs) > 1000:
        pairs = [p for i in range(0, len(pairs), 200) for p in rng.sample(pairs[i:i + 200], len(pairs[i:i + 200]))]
    else:
        rng.shuffle(pairs)
    return pairs
