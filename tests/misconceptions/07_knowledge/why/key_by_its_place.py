# expect: reject
# hint: the values must be those of the key that is asked for, wherever it stands and whatever it is called
# keeps: effect
def effect(treated, control):
    mean, low, high = mean_interval([t - c for t, c in zip(treated, control, strict=True)])
    return mean, low, high, ("helps", "not shown", "hurts")[(low <= 0) + (high < 0)]

def exposure_curve(runs, key):
    groups = {}
    for run in runs:
        groups.setdefault(run[key if key in ("documents", "phrasings") else list(run)[0]], []).append(run["accuracy"])
    return [(v, *mean_interval(groups[v])) for v in sorted(groups)]
