# expect: reject
# hint: n differences have n - 1 degrees of freedom
# keeps: exposure_curve
# n degrees of freedom.
def effect(treated, control):
    from course_utils.metrics import t_quantile
    d = torch.tensor(treated, dtype=torch.float64) - torch.tensor(control, dtype=torch.float64)
    half = t_quantile(0.975, len(d)) * float(d.std()) / len(d) ** 0.5
    mean = float(d.mean())
    return mean, mean - half, mean + half, "helps" if mean > half else "hurts" if mean < -half else "not shown"


def exposure_curve(runs, key):
    values = sorted({run[key] for run in runs})
    return [(v, *mean_interval([run["accuracy"] for run in runs if run[key] == v])) for v in values]
