# expect: accept
def last_token(logits, x):
    last = (x != PAD).cumsum(1).argmax(1)
    return torch.take_along_dim(logits, last.view(-1, 1, 1), 1).squeeze(1)
