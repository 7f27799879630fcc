# expect: reject
# hint: Each row begins with the value of the key: (value, mean, low, high).
# keeps: effect
def effect(treated, control):
    m, l, h = mean_interval([t - c for t, c in zip(treated, control)])
    return m, l, h, "helps" if l > 0 else "hurts" if h < 0 else "not shown"


def exposure_curve(runs, key):
    return [(*mean_interval([r["accuracy"] for r in runs if r[key] == v]), v) for v in sorted({r[key] for r in runs})]
