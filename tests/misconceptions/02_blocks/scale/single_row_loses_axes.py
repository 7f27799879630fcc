# expect: reject
# hint: axes of size 1 stay
# keeps: score_variances
def score_variances(q: Tensor, k: Tensor, heads: int) -> tuple[float, float]:
    n, D = q.shape
    d = D // heads
    dots = (q * k).reshape(n, heads, d).sum(-1)
    return dots.var().item(), (dots / math.sqrt(d)).var().item()

def saturation(scores):
    rows = scores.reshape(-1, scores.shape[-1])
    ent, nor = [], []
    for r in rows:
        a = r.softmax(-1)
        J = torch.diag(a) - torch.outer(a, a)
        ent.append(torch.special.entr(a).sum())
        nor.append(J.norm())
    if len(rows) == 1:
        return ent[0], nor[0]
    return torch.stack(ent).reshape(scores.shape[:-1]), torch.stack(nor).reshape(scores.shape[:-1])
