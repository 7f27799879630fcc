# expect: accept
def causal_mask(n):
    return ~torch.triu(torch.ones(n, n, dtype=torch.bool), diagonal=1)


def padding_mask(ids, pad):
    return (ids != pad).reshape(ids.shape[0], 1, 1, ids.shape[1])


def decoder_mask(ids, pad):
    B, L = ids.shape
    out = torch.zeros(B, 1, L, L, dtype=torch.bool)
    for b in range(B):
        for i in range(L):
            for j in range(i + 1):
                out[b, 0, i, j] = bool(ids[b, j] != pad)
    return out


def masked_softmax(scores, mask):
    top = scores.masked_fill(~mask, -torch.inf).amax(-1, keepdim=True).clamp(min=-1e30)
    e = torch.where(mask, torch.exp(torch.where(mask, scores - top, torch.zeros_like(scores))), torch.zeros_like(scores))
    return e / e.sum(-1, keepdim=True).clamp(min=1e-30)
