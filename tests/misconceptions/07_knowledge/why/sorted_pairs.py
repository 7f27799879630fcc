# expect: reject
# hint: the runs are paired by seed: do not sort them
# keeps: exposure_curve
# Sorts both conditions.
def effect(treated, control):
    mean, low, high = mean_interval([t - c for t, c in zip(sorted(treated), sorted(control))])
    return mean, low, high, "helps" if low > 0 else "hurts" if high < 0 else "not shown"


def exposure_curve(runs, key):
    values = sorted({run[key] for run in runs})
    return [(v, *mean_interval([run["accuracy"] for run in runs if run[key] == v])) for v in values]
