# expect: reject
# hint: the logits keep their number type
def last_token(logits, x):
    last = (x != PAD).sum(1) - 1
    return logits.float()[torch.arange(len(x)), last]
