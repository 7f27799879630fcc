# expect: accept
def scaled_dot_product(q, k, v, mask=None):
    B, H, Lq, d = q.shape
    Lk = k.shape[2]
    allowed = torch.ones(B, H, Lq, Lk, dtype=torch.bool) if mask is None else mask.expand(B, H, Lq, Lk)
    weights = torch.zeros(B, H, Lq, Lk, dtype=q.dtype)
    for b in range(B):
        for h in range(H):
            for i in range(Lq):
                scores = (k[b, h] * q[b, h, i]).sum(1) / math.sqrt(d)
                e = torch.exp(scores - scores[allowed[b, h, i]].max()) * allowed[b, h, i]
                e[~allowed[b, h, i]] = 0
                weights[b, h, i] = e / e.sum()
    return weights @ v, weights
