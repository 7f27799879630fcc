# expect: reject
# hint: an empty sentence has a row too: SOS, and EOS below it
def lm_batch(sentences):
    sentences = [s for s in sentences if s] or [[]]
    T = max(map(len, sentences)) + 1
    x = torch.tensor([[SOS, *s] + [PAD] * (T - 1 - len(s)) for s in sentences])
    y = torch.tensor([[*s, EOS] + [PAD] * (T - 1 - len(s)) for s in sentences])
    return x, y
