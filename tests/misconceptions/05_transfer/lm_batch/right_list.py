# expect: accept
def lm_batch(sentences):
    T = max(map(len, sentences)) + 1
    x = torch.tensor([[SOS, *s] + [PAD] * (T - 1 - len(s)) for s in sentences])
    y = torch.cat([x[:, 1:], torch.zeros_like(x[:, :1])], 1)
    y[torch.arange(len(x)), (x != PAD).sum(1) - 1] = EOS
    return [x, y]
