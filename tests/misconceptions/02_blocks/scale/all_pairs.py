# expect: reject
# hint: every row meets every row here; q[i] meets k[i] alone
# keeps: saturation
def score_variances(q, k, heads):
    s = split_heads(q[None], heads) @ split_heads(k[None], heads).mT
    return s.var().item(), (s / (q.shape[1] // heads) ** 0.5).var().item()


def saturation(scores):
    a = scores.softmax(-1)
    entropy = -(a * torch.log(a.clamp_min(1e-40 if a.dtype == torch.float64 else 1e-30))).sum(-1)
    J = torch.diag_embed(a) - a.unsqueeze(-1) * a.unsqueeze(-2)
    return entropy, torch.linalg.matrix_norm(J)
