# expect: reject
# hint: every row has a last token of its own, not that of the longest row
def last_token(logits, x):
    last = (x != PAD).sum(1).max() - 1
    return logits[:, last]
