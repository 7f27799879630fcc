# expect: reject
# hint: long rows are read at their last token too
def last_token(logits, x):
    return logits[torch.arange(len(x)), (x != PAD).half().sum(1).long() - 1]
