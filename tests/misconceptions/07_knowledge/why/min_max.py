# expect: reject
# hint: low and high are a confidence interval, not the lowest and the highest accuracy
# keeps: effect
# Range instead of interval.
def effect(treated, control):
    mean, low, high = mean_interval([t - c for t, c in zip(treated, control)])
    return mean, low, high, "helps" if low > 0 else "hurts" if high < 0 else "not shown"


def exposure_curve(runs, key):
    rows = []
    for v in sorted({run[key] for run in runs}):
        a = [run["accuracy"] for run in runs if run[key] == v]
        rows.append((v, sum(a) / len(a), min(a), max(a)))
    return rows
