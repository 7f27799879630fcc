# expect: reject
# hint: there is no smallest effect
# keeps: exposure_curve
def effect(treated, control):
    mean, low, high = mean_interval([a - b for a, b in zip(treated, control, strict=True)])
    found = "helps" if round(low, 3) > 0 else "hurts" if round(high, 3) < 0 else "not shown"
    return mean, low, high, found

def exposure_curve(runs, key):
    values = sorted({run[key] for run in runs})
    return [(v, *mean_interval([run["accuracy"] for run in runs if run[key] == v])) for v in values]
