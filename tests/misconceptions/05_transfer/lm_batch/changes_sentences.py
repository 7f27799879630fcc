# expect: reject
# hint: the sentences are changed in place: leave the arguments as they are
def lm_batch(sentences):
    T = max(map(len, sentences)) + 1
    for s in sentences:
        s += [PAD] * (T - 1 - len(s))
    x = torch.tensor([[SOS, *s] for s in sentences])
    y = torch.tensor([[*s, PAD] for s in sentences])
    for r in y:
        n = int((r != PAD).sum())
        r[n] = EOS
    return x, y
