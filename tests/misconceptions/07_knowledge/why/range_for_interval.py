# expect: reject
# hint: low and high are a 95 % confidence interval, not the smallest and the largest difference
# keeps: exposure_curve
# Smallest and largest difference.
def effect(treated, control):
    d = [t - c for t, c in zip(treated, control)]
    return sum(d) / len(d), min(d), max(d), "helps" if min(d) > 0 else "hurts" if max(d) < 0 else "not shown"



def exposure_curve(runs, key):
    values = sorted({run[key] for run in runs})
    return [(v, *mean_interval([run["accuracy"] for run in runs if run[key] == v])) for v in values]
