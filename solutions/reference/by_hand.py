"""Right answers of notebook 01 as the judge uses them: plain attention with one query, in numpy's float64."""

from __future__ import annotations

import math

import torch
from torch import Tensor


def attention(q: Tensor, K: Tensor, V: Tensor) -> tuple[Tensor, Tensor]:
    """c and alpha of unscaled attention: q (d,), K (n, d) or (S, n, d), V (n, p) -> c (…, p), alpha (…, n).

    Bahdanau, Cho, Bengio 2015 with the dot product as the score (Luong et al. 2015, eq. 8).
    """
    scores = torch.einsum("...nd,d->...n", K.double(), q.double())
    powers = torch.exp(scores - scores.amax(-1, keepdim=True))
    alpha = powers / powers.sum(-1, keepdim=True)
    return alpha @ V.double(), alpha


def copying_beta(n: int, eps: float) -> float:
    """The smallest beta with e^beta / (e^beta + n - 1) = 1 - eps."""
    return math.log1p(-eps) + math.log(n - 1) - math.log(eps)


def copying(K: Tensor, j: int, eps: float) -> Tensor:
    """The shortest multiple (d,) of row j of K (n, d) that gets all but eps of the weight."""
    return copying_beta(len(K), eps) * K[j]


def averaging(K: Tensor, a: int, b: int, beta: float) -> tuple[Tensor, float]:
    """The query (d,) with score beta for rows a and b of K (n, d), and the weight of each."""
    return beta * (K[a] + K[b]), average_weight(len(K), beta)


def average_weight(n: int, beta: float) -> float:
    """e^beta / (2 e^beta + n - 2), for beta >= 0 without overflow."""
    return 1 / (2 + (n - 2) * math.exp(-beta))


def gamma_weight(gamma: Tensor, beta: float) -> Tensor:
    """Weight of item a when its key is gamma times its mean, all other items than b left out: (S,) -> (S,)."""
    return torch.special.expit(beta * (gamma.double() - 1))


def self_attention(X: Tensor, Q: Tensor | None = None, K: Tensor | None = None, V: Tensor | None = None) -> Tensor:
    """Rows c_i of unscaled self-attention over the rows of X (n, d), with q_i = Q x_i and so on; None stands for I."""
    q, k, v = (X if W is None else X @ W.T for W in (Q, K, V))
    return torch.stack([attention(row, k, v)[0] for row in q])  # n times (d,) -> (n, d)


def projector(A: Tensor) -> Tensor:
    """The orthogonal projection (d, d) onto the span of A's columns (d, m)."""
    columns = torch.linalg.qr(A.double())[0]  # (d, m), orthonormal
    return columns @ columns.T


def single_head(mu: Tensor, K: Tensor, V: Tensor, a: int, b: int, beta: float) -> tuple[Tensor, Tensor]:
    """Outputs (S, p) and weights (S, n) of the query beta (mu_a + mu_b) over draws K (S, n, d)."""
    return attention(beta * mu[[a, b]].sum(0), K, V)


def sample_keys(mu: Tensor, a: int, variance: float, trials: int, rng: torch.Generator) -> Tensor:
    """Keys (trials, n, d) around the rows of mu; that of item a is multiplied by a normal number of variance one half."""
    factors = torch.ones(trials, len(mu), 1, dtype=mu.dtype)
    factors[:, a, 0] += torch.randn(trials, generator=rng, dtype=mu.dtype) / math.sqrt(2)
    return factors * mu + math.sqrt(variance) * torch.randn(trials, *mu.shape, generator=rng, dtype=mu.dtype)


def multi_head(mu: Tensor, K: Tensor, V: Tensor, a: int, b: int, beta: float) -> tuple[Tensor, Tensor]:
    """The mean (S, p) of two heads' outputs, and their queries (2, d)."""
    queries = beta * mu[[a, b]]
    return torch.stack([attention(q, K, V)[0] for q in queries]).mean(0), queries


def no_projections(U: Tensor, s: float, t: float) -> tuple[Tensor, Tensor]:
    """Self-attention (3, d) on three words made of the rows of U (4, d), and the coefficients (4,) of the second output."""
    X = torch.tensor([[0, 1, 0, 1], [1, 0, t, s], [0, 1, 1, 0]], dtype=torch.float64) @ U.double()
    C = self_attention(X)
    return C, (C[1] * U.double()).sum(-1) / U.double().square().sum(-1)


def qkv_design(U: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Matrices (d, d) that send u_a to u_d and u_d to u_c, keep all, and send u_b to u_b, u_c to -u_c."""
    swap = torch.tensor([[0, 0, 0, 1], [0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 1, 0]], dtype=torch.float64)
    back = U / U.square().sum(-1, keepdim=True)  # (4, d): coordinates in the u's
    return (
        U.T @ swap.T @ back,
        torch.eye(U.shape[1], dtype=U.dtype),
        U.T @ torch.diag(U.new_tensor([0, 1, -1, 0])) @ back,
    )
