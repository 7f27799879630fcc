# expect: accept
def lm_batch(sentences):
    T = 1 + max(map(len, sentences))
    x = torch.zeros(len(sentences), T, dtype=torch.long)
    y = torch.zeros(len(sentences), T, dtype=torch.long)
    for b, s in enumerate(sentences):
        x[b, 0] = SOS
        for t, i in enumerate(s):
            x[b, t + 1] = i
            y[b, t] = i
        y[b, len(s)] = EOS
    return x, y
