# expect: reject
# hint: the result is right but no gradient reaches the logits: leave out detach
def last_token(logits, x):
    last = (x != PAD).sum(1) - 1
    return logits.detach()[torch.arange(len(x)), last]
