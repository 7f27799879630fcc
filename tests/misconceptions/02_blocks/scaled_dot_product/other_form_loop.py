# expect: accept
def scaled_dot_product(q, k, v, mask=None):
    if mask is not None:
        mask = mask.broadcast_to(q.shape[0], q.shape[1], q.shape[2], k.shape[2])
    outs, weights = [], []
    for b in range(q.shape[0]):
        for h in range(q.shape[1]):
            s = (q[b, h] * q.shape[-1] ** -0.5).matmul(k[b, h].T)
            e = s - (s if mask is None else s.masked_fill(mask[b, h].logical_not(), -float("inf"))).amax(-1, keepdim=True).detach()
            e = e.clamp(max=0).exp() if mask is None else torch.where(mask[b, h], e, -float("inf")).exp()
            w = e / e.sum(-1, keepdim=True)
            weights.append(w); outs.append(w @ v[b, h])
    join = lambda z: torch.stack(z).unflatten(0, q.shape[:2])
    return join(outs), join(weights)
