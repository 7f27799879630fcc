# expect: accept
def attention(q: torch.Tensor, K: torch.Tensor, V: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    n = len(K)
    scores = [sum(float(K[i, t]) * float(q[t]) for t in range(len(q))) for i in range(n)]
    top = max(scores)
    powers = [math.exp(s - top) for s in scores]
    alpha = torch.tensor([p / sum(powers) for p in powers], dtype=V.dtype)
    c = torch.zeros_like(V[0])
    for i in range(n):
        c = c + alpha[i] * V[i]
    return c, alpha
