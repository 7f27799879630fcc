# expect: reject
# hint: the quantile depends on the number of runs: 4.30 is that of three
# keeps: exposure_curve
# 4.30 for every n.
def effect(treated, control):
    d = torch.tensor(treated, dtype=torch.float64) - torch.tensor(control, dtype=torch.float64)
    half = 4.302652729911275 * float(d.std()) / len(d) ** 0.5
    mean = float(d.mean())
    return mean, mean - half, mean + half, "helps" if mean > half else "hurts" if mean < -half else "not shown"


def exposure_curve(runs, key):
    values = sorted({run[key] for run in runs})
    return [(v, *mean_interval([run["accuracy"] for run in runs if run[key] == v])) for v in values]
