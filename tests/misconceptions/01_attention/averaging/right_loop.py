# expect: accept
def averaging(K: torch.Tensor, a: int, b: int, beta: float) -> tuple[torch.Tensor, float]:
    q = torch.zeros_like(K[0])
    for i in (a, b):
        q += beta * K[i]
    scores = [float(k @ q) for k in K]
    top = max(scores)
    return q, math.exp(scores[a] - top) / sum(math.exp(s - top) for s in scores)
