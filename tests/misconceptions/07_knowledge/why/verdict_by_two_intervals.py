# expect: reject
# hint: The verdict goes by the two conditions' own intervals, not by that of the differences: it helps if low is above 0, it hurts if high is below 0.
# keeps: exposure_curve
def effect(treated: list[float], control: list[float]) -> tuple[float, float, float, str]:
    """What a treatment changes, from runs paired by seed: ``treated[i]`` and ``control[i]`` share a seed, two pairs at least.

    Returns:
        ``(mean, low, high, verdict)``: mean of treated - control, its 95 % interval, and ``"helps"`` if the whole interval is above 0, ``"hurts"`` if it is below, else ``"not shown"``.
    """
    mean, low, high = mean_interval([t - c for t, c in zip(treated, control, strict=True)])
    mt, lt, ht = mean_interval(treated)
    mc, lc, hc = mean_interval(control)
    return mean, low, high, "helps" if lt > hc else "hurts" if ht < lc else "not shown"


def exposure_curve(runs: list[dict[str, float]], key: str) -> list[tuple[float, float, float, float]]:
    """Accuracy against ``key``, a dictionary key of the runs such as ``"documents"``, whose values are numbers; each run also has ``"accuracy"``.

    Args:
        runs: in any order, two runs at least for each value of ``key``.

    Returns:
        ``(value, mean, low, high)`` for every value of ``key`` that occurs, smallest first; mean and 95 % interval over the runs with that value.
    """
    values = sorted({run[key] for run in runs})
    return [(v, *mean_interval([run["accuracy"] for run in runs if run[key] == v])) for v in values]
