# expect: accept
# Student's t written out.
def effect(treated, control):
    from statistics import fmean, stdev

    from course_utils.metrics import t_quantile

    d = [a - b for a, b in zip(treated, control)]
    m, half = fmean(d), t_quantile(0.975, len(d) - 1) * stdev(d) / len(d) ** 0.5
    if m - half > 0:
        return m, m - half, m + half, "helps"
    if m + half < 0:
        return m, m - half, m + half, "hurts"
    return m, m - half, m + half, "not shown"



def exposure_curve(runs, key):
    values = sorted({run[key] for run in runs})
    return [(v, *mean_interval([run["accuracy"] for run in runs if run[key] == v])) for v in values]
