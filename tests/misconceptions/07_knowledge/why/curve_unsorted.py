# expect: reject
# hint: the rows come in order, smallest value of the key first; yours come in the order of the runs
# keeps: effect
# Values in the order of the runs.
def effect(treated, control):
    mean, low, high = mean_interval([t - c for t, c in zip(treated, control)])
    return mean, low, high, "helps" if low > 0 else "hurts" if high < 0 else "not shown"



def exposure_curve(runs, key):
    values = list(dict.fromkeys(run[key] for run in runs))
    return [(v, *mean_interval([run["accuracy"] for run in runs if run[key] == v])) for v in values]
