# expect: accept
import numpy as np


def cross_variances(dims, draws, rng):
    unit, raw = [], []
    for d in dims:
        x = torch.randn(draws, d, generator=rng).numpy()
        p = torch.randn(draws, d, generator=rng).numpy()
        dots = np.einsum("nd,nd->n", x, p)
        raw.append(float(np.mean(dots**2)))
        unit.append(float(np.mean((dots / np.linalg.norm(x, axis=1) / np.linalg.norm(p, axis=1)) ** 2)))
    return torch.tensor(unit), torch.tensor(raw)


def log_slope(dims, values):
    return float(np.polyfit(np.log(dims), np.log(np.asarray(values)), 1)[0])
