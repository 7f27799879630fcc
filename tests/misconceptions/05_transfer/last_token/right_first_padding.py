# expect: accept
def last_token(logits, x):
    n = (torch.cat([x, torch.zeros_like(x[:, :1])], 1) == PAD).int().argmax(1)
    return logits[torch.arange(len(x)), n - 1]
