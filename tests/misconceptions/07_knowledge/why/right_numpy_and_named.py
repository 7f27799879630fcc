# expect: accept
from typing import NamedTuple


class Effect(NamedTuple):
    mean: float
    low: float
    high: float
    verdict: str


def effect(treated, control):
    differences = np.subtract(treated, control)
    mean, low, high = map(float, mean_interval(differences.tolist()))
    signs = {(True, True): "helps", (False, False): "hurts"}
    return Effect(mean, low, high, "not shown" if low <= 0 <= high else signs[(low > 0, high > 0)])


def exposure_curve(runs, key):
    table = np.array([[run[key], run["accuracy"]] for run in runs], dtype=float)
    return [(float(v), *mean_interval(table[table[:, 0] == v, 1].tolist())) for v in np.unique(table[:, 0])]
