# expect: accept
def attention(q: torch.Tensor, K: torch.Tensor, V: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    scores = torch.einsum("nd,d->n", K, q)
    alpha = torch.exp(scores - torch.logsumexp(scores, 0))
    return torch.einsum("n,ne->e", alpha, V), alpha
