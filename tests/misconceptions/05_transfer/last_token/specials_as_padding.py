# expect: reject
# hint: SOS, EOS and UNK are tokens like others: padding is PAD alone
def last_token(logits, x):
    last = (x > 3).sum(1) - 1
    return logits[torch.arange(len(x)), last]
