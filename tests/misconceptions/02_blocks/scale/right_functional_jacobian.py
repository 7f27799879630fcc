# expect: accept
def score_variances(q, k, heads):
    n, D = q.shape
    d = D // heads
    unscaled = torch.stack([(x * y).sum(-1) for x, y in zip(q.split(d, dim=1), k.split(d, dim=1))]).double()
    return unscaled.std().pow(2).item(), (unscaled / d**0.5).std().pow(2).item()


def saturation(scores):
    log_alpha = scores - scores.logsumexp(-1, keepdim=True)
    alpha = log_alpha.exp()
    jacobian = -alpha.unsqueeze(-1) @ alpha.unsqueeze(-2) + torch.diag_embed(alpha)
    return (alpha * -log_alpha).sum(-1), torch.linalg.norm(jacobian.flatten(-2), dim=-1)
