# expect: reject
# hint: the last token that is not PAD is asked for, not the first EOS
def last_token(logits, x):
    last = torch.where((x == 2).any(1), (x == 2).int().argmax(1), (x != PAD).sum(1) - 1)
    return logits[torch.arange(len(x)), last]
