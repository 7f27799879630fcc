# expect: reject
# hint: helps asks for an interval wholly above 0: an interval that begins at 0 shows nothing
# keeps: exposure_curve
# Zero counts as above.
def effect(treated, control):
    mean, low, high = mean_interval([t - c for t, c in zip(treated, control)])
    return mean, low, high, "helps" if low >= 0 else "hurts" if high <= 0 else "not shown"


def exposure_curve(runs, key):
    values = sorted({run[key] for run in runs})
    return [(v, *mean_interval([run["accuracy"] for run in runs if run[key] == v])) for v in values]
