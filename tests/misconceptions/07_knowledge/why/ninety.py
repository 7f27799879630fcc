# expect: reject
# hint: the interval is that of 95 %: 2.5 % are left on each side
# keeps: exposure_curve
# 90 % interval.
def effect(treated, control):
    from course_utils.metrics import t_quantile
    d = torch.tensor(treated, dtype=torch.float64) - torch.tensor(control, dtype=torch.float64)
    half = t_quantile(0.95, len(d) - 1) * float(d.std()) / len(d) ** 0.5
    mean = float(d.mean())
    return mean, mean - half, mean + half, "helps" if mean > half else "hurts" if mean < -half else "not shown"


def exposure_curve(runs, key):
    values = sorted({run[key] for run in runs})
    return [(v, *mean_interval([run["accuracy"] for run in runs if run[key] == v])) for v in values]
