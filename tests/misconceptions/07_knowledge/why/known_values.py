# expect: reject
# hint: every value that occurs gets a row, not only 1, 2, 4 and 8
# keeps: effect
# Only the notebook's values.
def effect(treated, control):
    mean, low, high = mean_interval([t - c for t, c in zip(treated, control)])
    return mean, low, high, "helps" if low > 0 else "hurts" if high < 0 else "not shown"


def exposure_curve(runs, key):
    values = [v for v in (1, 2, 4, 8) if any(run[key] == v for run in runs)]
    return [(v, *mean_interval([run["accuracy"] for run in runs if run[key] == v])) for v in values]
