# expect: accept
# Tensors of 64-bit numbers.
from course_utils.metrics import t_quantile


def spread(d):
    half = t_quantile(0.975, len(d) - 1) * d.std() / math.sqrt(len(d))
    return d.mean(), d.mean() - half, d.mean() + half


import math


def effect(treated, control):
    mean, low, high = spread(torch.tensor(treated, dtype=torch.float64) - torch.tensor(control, dtype=torch.float64))
    return mean, low, high, "helps" if low > 0 else "hurts" if high < 0 else "not shown"


def exposure_curve(runs, key):
    rows = []
    for value in sorted(set(run[key] for run in runs)):
        mean, low, high = spread(torch.tensor([r["accuracy"] for r in runs if r[key] == value], dtype=torch.float64))
        rows.append([value, mean.item(), low.item(), high.item()])
    return rows
