# expect: reject
# hint: an effect whose interval contains 0 is not shown, although its mean may be positive or negative: look at low and high
# keeps: exposure_curve
# A positive mean is taken for an effect.
def effect(treated, control):
    mean, low, high = mean_interval([t - c for t, c in zip(treated, control)])
    return mean, low, high, "helps" if mean > 0 else "hurts" if mean < 0 else "not shown"



def exposure_curve(runs, key):
    values = sorted({run[key] for run in runs})
    return [(v, *mean_interval([run["accuracy"] for run in runs if run[key] == v])) for v in values]
