# expect: reject
# hint: x and y have one row per sentence, (B, T)
def lm_batch(sentences):
    T = max(map(len, sentences)) + 1
    x = torch.tensor([[SOS, *s] + [PAD] * (T - 1 - len(s)) for s in sentences])
    y = torch.tensor([[*s, EOS] + [PAD] * (T - 1 - len(s)) for s in sentences])
    return x.T, y.T
