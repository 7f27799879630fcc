# expect: reject
# hint: The last id may stand earlier in the row too, and index finds its first place: take the last.
def last_token(logits: Tensor, x: Tensor) -> Tensor:
    last = torch.tensor([row.index([i for i in row if i != PAD][-1]) for row in x.tolist()])
    return logits[torch.arange(len(x)), last]
