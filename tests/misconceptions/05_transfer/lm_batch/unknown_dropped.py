# expect: reject
# hint: UNK is a piece like others: it stays
def lm_batch(sentences):
    sentences = [[i for i in s if i != UNK] for s in sentences]
    T = max(map(len, sentences)) + 1
    x = torch.tensor([[SOS, *s] + [PAD] * (T - 1 - len(s)) for s in sentences])
    y = torch.tensor([[*s, EOS] + [PAD] * (T - 1 - len(s)) for s in sentences])
    return x, y
