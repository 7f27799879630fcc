# expect: reject
# hint: the key is an argument: take run[key], not run["documents"]
# keeps: effect
# One key only.
def effect(treated, control):
    mean, low, high = mean_interval([t - c for t, c in zip(treated, control)])
    return mean, low, high, "helps" if low > 0 else "hurts" if high < 0 else "not shown"


def exposure_curve(runs, key):
    values = sorted({run["documents"] for run in runs})
    return [(v, *mean_interval([run["accuracy"] for run in runs if run["documents"] == v])) for v in values]
