# expect: reject
# hint: one row gives (1, C): leave out squeeze
def last_token(logits, x):
    last = (x != PAD).sum(1) - 1
    return logits[torch.arange(len(x)), last].squeeze()
