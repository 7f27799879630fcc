# expect: accept
# Groups collected in a dictionary.
def effect(treated, control):
    mean, low, high = mean_interval([t - c for t, c in zip(treated, control)])
    return mean, low, high, "helps" if low > 0 else "hurts" if high < 0 else "not shown"


def exposure_curve(runs, key):
    groups = {}
    for run in runs:
        groups.setdefault(run[key], []).append(run["accuracy"])
    rows = []
    for value in sorted(groups):
        mean, low, high = mean_interval(groups[value])
        rows.append([value, mean, low, high])
    return rows
