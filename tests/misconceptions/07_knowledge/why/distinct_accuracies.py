# expect: reject
# hint: equal accuracies of two runs count twice: do not put them into a set
# keeps: effect
# A set of accuracies.
def effect(treated, control):
    mean, low, high = mean_interval([t - c for t, c in zip(treated, control)])
    return mean, low, high, "helps" if low > 0 else "hurts" if high < 0 else "not shown"


def exposure_curve(runs, key):
    values = sorted({run[key] for run in runs})
    return [(v, *mean_interval(list({run["accuracy"] for run in runs if run[key] == v}))) for v in values]
