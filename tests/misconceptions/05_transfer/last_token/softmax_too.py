# expect: reject
# hint: return the logits as they are, without softmax
def last_token(logits, x):
    last = (x != PAD).sum(1) - 1
    return logits[torch.arange(len(x)), last].softmax(-1)
