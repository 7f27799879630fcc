# expect: accept
from typing import NamedTuple


class Count(NamedTuple):
    base: int
    head: int


def count_encoder(V, D, L, H, C):
    linear = D * D + D
    return Count(base=V * D + L * (6 * linear + 4 * D), head=(D + 1) * C)
