# expect: reject
# hint: Each row is made of all runs: take only those with its value of the key.
# keeps: effect
def effect(treated, control):
    m, l, h = mean_interval([t - c for t, c in zip(treated, control)])
    return m, l, h, "helps" if l > 0 else "hurts" if h < 0 else "not shown"


def exposure_curve(runs, key):
    return [(v, *mean_interval([r["accuracy"] for r in runs])) for v in sorted({r[key] for r in runs})]
