# expect: accept
def cross_variances(dims, draws, rng):
    def one(d):
        x, p = (torch.randn(draws, d, generator=rng, dtype=torch.float64) for _ in "xp")
        a = torch.einsum("nd,nd->n", x, p)
        return a.div(torch.linalg.vector_norm(x, dim=1)).div(torch.linalg.vector_norm(p, dim=1)).var(), a.var()

    table = torch.tensor([one(d) for d in dims])
    return table[:, 0], table[:, 1]


def log_slope(dims, values):
    import numpy as np

    return np.polyfit(np.log(dims), np.log(values.numpy()), 1)[0]
