# expect: accept
def score_variances(q, k, heads):
    d = q.shape[1] // heads
    p = np.stack([np.einsum("nd,nd->n", q[:, h * d:(h + 1) * d].double().numpy(), k[:, h * d:(h + 1) * d].double().numpy()) for h in range(heads)])
    return float(p.var()), float((p / d ** 0.5).var())


def saturation(scores):
    logp = scores.log_softmax(-1)
    a = logp.exp()
    entropy = torch.special.entr(a).sum(-1)
    J = torch.diag_embed(a) - a[..., :, None] * a[..., None, :]
    return entropy, J.square().sum((-2, -1)).sqrt()
