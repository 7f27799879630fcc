# expect: accept
from typing import NamedTuple


class Mixed(NamedTuple):
    c: torch.Tensor
    alpha: torch.Tensor


def log_weights(scores):
    return scores - torch.logsumexp(scores, dim=0)


def attention(q, K, V):
    alpha = log_weights(torch.einsum("nd,d->n", K, q)).exp()
    return Mixed(torch.einsum("n,np->p", alpha, V), alpha)
