# expect: reject
# hint: an accuracy of 0 counts as any other does
# keeps: effect
# Runs without any right answer are taken for runs without a result.
def effect(treated, control):
    mean, low, high = mean_interval([t - c for t, c in zip(treated, control)])
    verdict = "helps" if low > 0 else "hurts" if high < 0 else "not shown"
    return mean, low, high, verdict

def exposure_curve(runs, key):
    return [
        (v, *mean_interval([run["accuracy"] for run in runs if run[key] == v and run['accuracy']]))
        for v in sorted({run[key] for run in runs})
    ]
