# expect: accept
def causal_mask(n):
    return torch.tensor([[j <= i for j in range(n)] for i in range(n)])
def padding_mask(ids, pad):
    return torch.tensor([[[[int(i) != pad for i in row]]] for row in ids])
def decoder_mask(ids, pad):
    return torch.stack([causal_mask(len(row)) * (row != pad) for row in ids]).unsqueeze(1)
def masked_softmax(scores, mask):
    s = scores + torch.zeros_like(scores).masked_fill(~mask, float("-inf"))
    return torch.nan_to_num(torch.softmax(s, -1))
