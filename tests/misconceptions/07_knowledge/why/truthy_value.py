# expect: reject
# hint: a value of 0 is a value too
# keeps: effect
# Leaves out the value 0.
def effect(treated, control):
    mean, low, high = mean_interval([t - c for t, c in zip(treated, control)])
    return mean, low, high, "helps" if low > 0 else "hurts" if high < 0 else "not shown"


def exposure_curve(runs, key):
    values = sorted({run[key] for run in runs if run[key]})
    return [(v, *mean_interval([run["accuracy"] for run in runs if run[key] == v])) for v in values]
