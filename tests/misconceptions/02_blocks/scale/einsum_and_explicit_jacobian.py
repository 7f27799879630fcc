# expect: accept
def score_variances(q, k, heads):
    split = lambda x: x.reshape(len(x), heads, -1)
    products = torch.einsum("nhd,nhd->nh", split(q), split(k))
    variance = float(((products - products.mean()) ** 2).mean())
    return variance, variance / (q.shape[1] // heads)


def saturation(scores):
    alpha = torch.softmax(scores, -1)
    log_alpha = torch.log_softmax(scores, -1)
    jacobian = torch.diag_embed(alpha) - alpha.unsqueeze(-1) * alpha.unsqueeze(-2)
    return -(alpha * log_alpha).sum(-1), jacobian.square().sum((-2, -1)).sqrt()
