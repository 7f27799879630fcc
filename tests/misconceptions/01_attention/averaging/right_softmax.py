# expect: accept
def averaging(K: torch.Tensor, a: int, b: int, beta: float) -> tuple[torch.Tensor, float]:
    scores = torch.zeros(len(K), dtype=torch.float64)
    scores[a] = scores[b] = beta
    return K.T @ scores.to(K.dtype), torch.softmax(scores, 0)[a]
