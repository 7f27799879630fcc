# expect: reject
# hint: the heads are interleaved: head h must see the columns [h·d, (h+1)·d)
# keeps: saturation
def score_variances(q, k, heads):
    s = (q * k).reshape(len(q), -1, heads).sum(1)
    return s.var().item(), s.var().item() / (q.shape[1] // heads)


def saturation(scores):
    a = scores.softmax(-1)
    entropy = -(a * torch.log(a.clamp_min(1e-40 if a.dtype == torch.float64 else 1e-30))).sum(-1)
    J = torch.diag_embed(a) - a.unsqueeze(-1) * a.unsqueeze(-2)
    return entropy, torch.linalg.matrix_norm(J)
