# expect: reject
# hint: the sign is the wrong way round: subtract the control from the treated run
# keeps: exposure_curve
# Control minus treated.
def effect(treated, control):
    mean, low, high = mean_interval([c - t for t, c in zip(treated, control)])
    return mean, low, high, "helps" if low > 0 else "hurts" if high < 0 else "not shown"



def exposure_curve(runs, key):
    values = sorted({run[key] for run in runs})
    return [(v, *mean_interval([run["accuracy"] for run in runs if run[key] == v])) for v in values]
