# expect: reject
# hint: the last token is asked for, not the one with the largest id
def last_token(logits, x):
    last = x.argmax(1)
    return logits[torch.arange(len(x)), last]
