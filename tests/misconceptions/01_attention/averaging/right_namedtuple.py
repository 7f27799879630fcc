# expect: accept
from typing import NamedTuple


class Averaged(NamedTuple):
    query: torch.Tensor
    weight: float


def averaging(K, a, b, beta):
    others = len(K) - 2
    return Averaged(K[[a, b]].sum(dim=0) * beta, 0.5 / (1 + others * math.exp(-beta) / 2))
