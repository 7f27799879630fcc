# expect: accept
def lm_batch(sentences):
    import numpy as np
    T = max(map(len, sentences)) + 1
    x = np.full((len(sentences), T), PAD)
    y = x.copy()
    for i, s in enumerate(sentences):
        x[i, :len(s) + 1] = [SOS, *s]
        y[i, :len(s) + 1] = [*s, EOS]
    return torch.from_numpy(x), torch.from_numpy(y)
