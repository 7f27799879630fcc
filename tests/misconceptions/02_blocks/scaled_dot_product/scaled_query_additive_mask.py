# expect: accept
def scaled_dot_product(q, k, v, mask=None):
    scores = torch.matmul(q / k.shape[-1] ** 0.5, k.mT)
    if mask is not None:
        scores = scores + torch.zeros(mask.shape).masked_fill(~mask, -1e9).to(q.dtype)
    weights = F.softmax(scores, dim=-1)
    return torch.matmul(weights, v), weights
