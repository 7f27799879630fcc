# expect: reject
# hint: EOS stands at the end of the padded row: it must follow the sentence at once, the padding comes behind it
def lm_batch(sentences):
    T = max(len(s) for s in sentences) + 1
    x = torch.full((len(sentences), T), PAD)
    y = torch.full((len(sentences), T), PAD)
    for b, s in enumerate(sentences):
        n = len(s)
        x[b, 0] = SOS
        if n:
            x[b, 1:n+1] = torch.tensor(s)
            y[b, :n] = torch.tensor(s)
        y[b, -1] = EOS
    return x, y
