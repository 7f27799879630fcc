# expect: reject
# hint: low and high are the interval of the mean: divide the standard deviation by the root of n
# keeps: exposure_curve
# Spread of the runs, not of the mean.
def effect(treated, control):
    d = np.array(treated) - np.array(control)
    from course_utils.metrics import t_quantile
    half = t_quantile(0.975, len(d) - 1) * d.std(ddof=1)
    mean = float(d.mean())
    return mean, mean - half, mean + half, "helps" if mean > half else "hurts" if mean < -half else "not shown"


def exposure_curve(runs, key):
    values = sorted({run[key] for run in runs})
    return [(v, *mean_interval([run["accuracy"] for run in runs if run[key] == v])) for v in values]
