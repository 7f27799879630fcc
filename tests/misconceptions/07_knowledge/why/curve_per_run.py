# expect: reject
# hint: exposure_curve returns one row for every value of the key, not one for every run
# keeps: effect
# One row per run.
def effect(treated, control):
    mean, low, high = mean_interval([t - c for t, c in zip(treated, control)])
    return mean, low, high, "helps" if low > 0 else "hurts" if high < 0 else "not shown"


def exposure_curve(runs, key):
    return [(run[key], run["accuracy"], 0.0, 1.0) for run in sorted(runs, key=lambda run: run[key])]
