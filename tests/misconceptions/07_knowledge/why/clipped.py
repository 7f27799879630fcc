# expect: reject
# hint: the interval of a difference is not cut off at 0 or 1
# keeps: exposure_curve
# Interval cut off at -1 and 1.
def effect(treated, control):
    mean, low, high = mean_interval([t - c for t, c in zip(treated, control)])
    verdict = "helps" if low > 0 else "hurts" if high < 0 else "not shown"
    return mean, max(low, -1.0), min(high, 1.0), verdict


def exposure_curve(runs, key):
    values = sorted({run[key] for run in runs})
    return [(v, *mean_interval([run["accuracy"] for run in runs if run[key] == v])) for v in values]
