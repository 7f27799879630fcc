# expect: reject
# hint: the rows stand in the order of the sentences
def lm_batch(sentences):
    T = max(map(len, sentences)) + 1
    sentences = sorted(sentences, key=len)
    x = torch.tensor([[SOS, *s] + [PAD] * (T - 1 - len(s)) for s in sentences])
    y = torch.tensor([[*s, EOS] + [PAD] * (T - 1 - len(s)) for s in sentences])
    return x, y
