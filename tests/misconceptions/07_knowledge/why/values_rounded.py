# expect: reject
# hint: values may be fractions
# keeps: effect
def effect(treated, control):
    mean, low, high = mean_interval([t - c for t, c in zip(treated, control)])
    return mean, low, high, "helps" if low > 0 else "hurts" if high < 0 else "not shown"


def exposure_curve(runs, key):
    return [(v, *mean_interval([r["accuracy"] for r in runs if round(r[key], 3) == v])) for v in sorted({round(r[key], 3) for r in runs})]
