# expect: accept
def score_variances(q, k, heads):
    import statistics
    d = q.shape[1] // heads
    p = [sum(float(a * b) for a, b in zip(x[h*d:(h+1)*d], y[h*d:(h+1)*d])) for x, y in zip(q.tolist(), k.tolist()) for h in range(heads)]
    return [statistics.pvariance(p), statistics.variance([x / d**.5 for x in p])]
def saturation(scores):
    a = F.softmax(scores, -1)
    e = torch.where(a > 0, -a * a.clamp_min(1e-300 if a.dtype == torch.float64 else 1e-38).log(), torch.zeros_like(a)).sum(-1)
    diag = ((a * (1 - a)) ** 2).sum(-1)
    off = (a[..., :, None] * a[..., None, :]) ** 2
    off = off.sum((-2, -1)) - (a ** 4).sum(-1)
    return e, (diag + off.clamp(min=0)).sqrt()
