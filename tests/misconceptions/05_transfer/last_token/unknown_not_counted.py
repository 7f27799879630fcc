# expect: reject
# hint: SOS, EOS and UNK are tokens like others
def last_token(logits, x):
    last = ((x != PAD) & (x != UNK)).sum(1) - 1
    return logits[torch.arange(len(x)), last]
