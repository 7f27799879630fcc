# expect: reject
# hint: the longest sentence decides the width, not the first
def lm_batch(sentences):
    T = len(sentences[0]) + 1
    x = torch.zeros(len(sentences), T, dtype=torch.long)
    y = torch.zeros(len(sentences), T, dtype=torch.long)
    for i, s in enumerate(sentences):
        s = s[:T - 1]
        x[i, 0], y[i, len(s)] = SOS, EOS
        x[i, 1:len(s) + 1] = torch.tensor(s)
        y[i, :len(s)] = torch.tensor(s)
    return x, y
