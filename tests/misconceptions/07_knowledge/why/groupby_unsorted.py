# expect: reject
# hint: runs with one value need not stand together: sort before you group
# keeps: effect
# groupby without sorting.
def effect(treated, control):
    mean, low, high = mean_interval([t - c for t, c in zip(treated, control)])
    return mean, low, high, "helps" if low > 0 else "hurts" if high < 0 else "not shown"


def exposure_curve(runs, key):
    from itertools import groupby
    rows = [(v, *mean_interval([run["accuracy"] for run in group])) for v, group in groupby(runs, key=lambda run: run[key])]
    return sorted(rows)
