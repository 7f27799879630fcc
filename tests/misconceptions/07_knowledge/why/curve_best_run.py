# expect: reject
# hint: that is the best run of each value: take mean and interval over all runs with that value
# keeps: effect
# The best run of each value.
def effect(treated, control):
    mean, low, high = mean_interval([t - c for t, c in zip(treated, control)])
    return mean, low, high, "helps" if low > 0 else "hurts" if high < 0 else "not shown"


def exposure_curve(runs, key):
    values = sorted({run[key] for run in runs})
    best = {v: max(run["accuracy"] for run in runs if run[key] == v) for v in values}
    return [(v, best[v], best[v], best[v]) for v in values]
