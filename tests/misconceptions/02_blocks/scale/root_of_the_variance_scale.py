# expect: reject
# hint: dividing the products by √d divides their variance by d
# keeps: saturation
def score_variances(q, k, heads):
    s = (q * k).reshape(len(q), heads, -1).sum(-1)
    return s.var().item(), s.var().item() / (q.shape[1] // heads) ** 0.5


def saturation(scores):
    a = scores.softmax(-1)
    entropy = -(a * torch.log(a.clamp_min(1e-40 if a.dtype == torch.float64 else 1e-30))).sum(-1)
    J = torch.diag_embed(a) - a.unsqueeze(-1) * a.unsqueeze(-2)
    return entropy, torch.linalg.matrix_norm(J)
