# expect: reject
# hint: The real tokens are counted in 8 bits, which end at 127. Count in int64.
def last_token(logits, x):
    last = (x != PAD).to(torch.int8).cumsum(1, dtype=torch.int8)[:, -1].long() - 1
    return logits[torch.arange(len(x)), last]
