# expect: reject
# hint: values may be fractions: do not make them whole numbers
# keeps: effect
# int of the values.
def effect(treated, control):
    mean, low, high = mean_interval([t - c for t, c in zip(treated, control)])
    return mean, low, high, "helps" if low > 0 else "hurts" if high < 0 else "not shown"


def exposure_curve(runs, key):
    values = sorted({int(run[key]) for run in runs})
    return [(v, *mean_interval([run["accuracy"] for run in runs if int(run[key]) == v])) for v in values]
