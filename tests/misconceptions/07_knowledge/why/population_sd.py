# expect: reject
# hint: the standard deviation of a sample divides by n - 1, not by n: use mean_interval on the differences
# keeps: exposure_curve
# Divides by n.
def effect(treated, control):
    d = np.array(treated) - np.array(control)
    from course_utils.metrics import t_quantile

    mean, half = float(d.mean()), float(t_quantile(0.975, len(d) - 1) * d.std() / len(d) ** 0.5)
    return mean, mean - half, mean + half, "helps" if mean > half else "hurts" if mean < -half else "not shown"



def exposure_curve(runs, key):
    values = sorted({run[key] for run in runs})
    return [(v, *mean_interval([run["accuracy"] for run in runs if run[key] == v])) for v in values]
