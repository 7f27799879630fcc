# expect: accept
def lm_batch(sentences):
    width = max(len(s) for s in sentences) + 2
    full = torch.full((len(sentences), width), PAD)
    for row, s in zip(full, sentences):
        row[: len(s) + 2] = torch.tensor([SOS, *s, EOS])
    x = full[:, :-1].clone()
    x[x == EOS] = PAD
    return x, full[:, 1:]
