# expect: reject
# hint: 1.96 is for many runs: with few, use Student's t (mean_interval does)
# keeps: exposure_curve
# 1.96 for three runs.
def effect(treated, control):
    d = torch.tensor([t - c for t, c in zip(treated, control)], dtype=torch.float64)
    mean, half = float(d.mean()), 1.96 * float(d.std()) / len(d) ** 0.5
    return mean, mean - half, mean + half, "helps" if mean > half else "hurts" if mean < -half else "not shown"



def exposure_curve(runs, key):
    values = sorted({run[key] for run in runs})
    return [(v, *mean_interval([run["accuracy"] for run in runs if run[key] == v])) for v in values]
