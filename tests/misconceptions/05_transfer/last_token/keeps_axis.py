# expect: reject
# hint: the result has the shape (B, C): leave out the axis of the position
def last_token(logits, x):
    last = (x != PAD).sum(1) - 1
    return logits[torch.arange(len(x)), last][:, None]
