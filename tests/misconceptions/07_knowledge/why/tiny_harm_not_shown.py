# expect: reject
# hint: there is no smallest effect
# keeps: exposure_curve
def effect(treated, control):
    mean, low, high = mean_interval([t - c for t, c in zip(treated, control, strict=True)])
    return mean, low, high, ("helps", "not shown", "hurts")[(low <= 0) + (high < 0 and low < -1e-3)]

def exposure_curve(runs, key):
    groups = {}
    for run in runs:
        groups.setdefault(run[key], []).append(run["accuracy"])
    return [(v, *mean_interval(groups[v])) for v in sorted(groups)]
