# expect: reject
# hint: this is the largest singular value; the Frobenius norm sums all squares
# keeps: score_variances
def score_variances(q, k, heads):
    n, D = q.shape
    d = D // heads
    dots = np.array([[float(q[i, h * d:(h + 1) * d] @ k[i, h * d:(h + 1) * d]) for h in range(heads)] for i in range(n)])
    return float(dots.var()), float((dots / math.sqrt(d)).var())


def saturation(scores):
    a = scores.softmax(-1)
    J = torch.diag_embed(a) - a.unsqueeze(-1) * a.unsqueeze(-2)
    return torch.special.entr(a).sum(-1), torch.linalg.matrix_norm(J, 2)
