# expect: reject
# hint: 64-bit logits go through 32 bits on the way: pick them, and compute nothing.
def last_token(logits, x):
    last = (x != PAD).sum(1) - 1
    return torch.einsum("bt,btc->bc", F.one_hot(last, x.shape[1]).float(), logits.float()).to(logits.dtype)
