# expect: accept
def scaled_dot_product(q, k, v, mask=None):
    scores = torch.einsum("bhqd,bhkd->bhqk", q, k) / math.sqrt(q.shape[-1])
    if mask is not None:
        scores = torch.where(mask, scores, torch.full_like(scores, -torch.inf))
    w = torch.softmax(scores, dim=3)
    return torch.einsum("bhqk,bhkv->bhqv", w, v), w
