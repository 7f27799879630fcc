# expect: reject
# hint: return the interval as it is: it may reach beyond 0 and 1
# keeps: effect
# Cut off at 0 and 1.
def effect(treated, control):
    mean, low, high = mean_interval([t - c for t, c in zip(treated, control)])
    return mean, low, high, "helps" if low > 0 else "hurts" if high < 0 else "not shown"


def exposure_curve(runs, key):
    rows = []
    for v in sorted({run[key] for run in runs}):
        m, low, high = mean_interval([run["accuracy"] for run in runs if run[key] == v])
        rows.append((v, m, max(low, 0.0), min(high, 1.0)))
    return rows
