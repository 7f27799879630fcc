# expect: reject
# hint: return x first, then y
def lm_batch(sentences):
    T = max(map(len, sentences)) + 1
    x = torch.tensor([[SOS, *s] + [PAD] * (T - 1 - len(s)) for s in sentences])
    y = torch.tensor([[*s, EOS] + [PAD] * (T - 1 - len(s)) for s in sentences])
    return y, x
