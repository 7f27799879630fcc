# expect: accept
import numpy as np


def sinusoid(T, d, base=10000.0):
    angle = np.arange(T)[:, None] * base ** (-np.arange(0, d, 2) / d)
    table = np.empty((T, d))
    table[:, ::2], table[:, 1::2] = np.sin(angle), np.cos(angle)
    return torch.from_numpy(table)


def shift_matrix(k, d, base=10000.0):
    R = np.zeros((d, d))
    even = np.arange(0, d, 2)
    turn = k * base ** (-even / d)
    R[even, even] = R[even + 1, even + 1] = np.cos(turn)
    R[even, even + 1], R[even + 1, even] = np.sin(turn), -np.sin(turn)
    return torch.from_numpy(R)
