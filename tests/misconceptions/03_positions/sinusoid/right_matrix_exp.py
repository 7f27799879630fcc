# expect: accept
import numpy as np

def sinusoid(T, d, base=10000.0):
    t, c = np.mgrid[:T, :d].astype(float)
    return torch.from_numpy(np.sin(t * base ** (-2 * (c // 2) / d) + np.pi / 2 * (c % 2)))

def shift_matrix(k, d, base=10000.0):
    G = torch.zeros(d, d, dtype=torch.float64)
    for m in range(0, d, 2):
        G[m, m + 1], G[m + 1, m] = base ** (-m / d), -(base ** (-m / d))
    return torch.matrix_exp(k * G)
