# expect: accept
from collections import namedtuple

Bytes = namedtuple("Bytes", "state activations")


def training_bytes(N, B, T, V, D, L, H):
    return Bytes(sum([N, N, N, N]) * 4, 4 * B * (T * (16 * L * D + 2 * D + V) + L * H * T**2))
