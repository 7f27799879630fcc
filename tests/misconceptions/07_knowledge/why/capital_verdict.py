# expect: reject
# hint: the verdict is one of "helps", "hurts" and "not shown", written just so
# keeps: exposure_curve
# Capital letters.
def effect(treated, control):
    mean, low, high = mean_interval([t - c for t, c in zip(treated, control)])
    return mean, low, high, "Helps" if low > 0 else "Hurts" if high < 0 else "Not shown"


def exposure_curve(runs, key):
    values = sorted({run[key] for run in runs})
    return [(v, *mean_interval([run["accuracy"] for run in runs if run[key] == v])) for v in values]
