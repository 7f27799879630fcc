# expect: reject
# hint: long sentences, many of them, and UNK among their ids
def lm_batch(sentences):
    sentences = [s[:16] for s in sentences]
    T = max(map(len, sentences)) + 1
    x = torch.tensor([[SOS, *s] + [PAD] * (T - 1 - len(s)) for s in sentences])
    y = torch.tensor([[*s, EOS] + [PAD] * (T - 1 - len(s)) for s in sentences])
    return x, y
