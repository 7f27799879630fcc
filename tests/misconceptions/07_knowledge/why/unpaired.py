# expect: reject
# hint: the runs are paired: take the interval of the differences, seed by seed (mean_interval gives it)
# keeps: exposure_curve
# Two separate samples.
def effect(treated, control):
    a, b = mean_interval(treated), mean_interval(control)
    mean, low, high = a[0] - b[0], a[1] - b[2], a[2] - b[1]
    return mean, low, high, "helps" if low > 0 else "hurts" if high < 0 else "not shown"



def exposure_curve(runs, key):
    values = sorted({run[key] for run in runs})
    return [(v, *mean_interval([run["accuracy"] for run in runs if run[key] == v])) for v in values]
