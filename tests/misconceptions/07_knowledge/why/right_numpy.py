# expect: accept
# numpy arrays, and the spread by hand.
from course_utils.metrics import t_quantile


def interval(values):
    values = np.asarray(values, dtype=float)
    half = t_quantile(0.975, len(values) - 1) * values.std(ddof=1) / np.sqrt(len(values))
    return values.mean(), values.mean() - half, values.mean() + half


def effect(treated, control):
    mean, low, high = interval(np.subtract(treated, control))
    verdict = {(True, True): "helps", (False, False): "hurts"}.get((low > 0, high >= 0), "not shown")
    return mean, low, high, verdict


def exposure_curve(runs, key):
    values = np.array([run[key] for run in runs])
    accuracies = np.array([run["accuracy"] for run in runs])
    return [(v, *interval(accuracies[values == v])) for v in np.unique(values)]
