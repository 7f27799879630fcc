# expect: reject
# hint: an id that comes several times stays as often
def lm_batch(sentences):
    sentences = [list(dict.fromkeys(s)) for s in sentences]
    T = max(map(len, sentences)) + 1
    x = torch.tensor([[SOS, *s] + [PAD] * (T - 1 - len(s)) for s in sentences])
    y = torch.tensor([[*s, EOS] + [PAD] * (T - 1 - len(s)) for s in sentences])
    return x, y
