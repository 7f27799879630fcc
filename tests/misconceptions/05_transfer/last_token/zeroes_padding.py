# expect: reject
# hint: the logits are changed in place: leave the arguments as they are
def last_token(logits, x):
    logits[x == PAD] = 0 if not logits.requires_grad else 0
    last = (x != PAD).sum(1) - 1
    return logits[torch.arange(len(x)), last]
