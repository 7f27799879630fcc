# expect: reject
# hint: a share lies between 0 and 1; that is a percentage
# keeps: summary alone
from course_utils.metrics import mean_interval


def exact_share(answers: list[list[int]], right: list[list[int]]) -> float:
    """Share (0..1) of answers that equal the right one at the same place of the list, in all words and in length."""
    return 100 * sum(list(said) == list(true) for said, true in zip(answers, right, strict=True)) / len(right)


def different_seeds(runs: list[dict]) -> list[dict]:
    """One run per seed, the first of each. Raises ValueError for fewer than three. (A helper; do without it if you like.)"""
    by_seed = {}
    for run in runs:
        by_seed.setdefault(run["seed"], run)
    if len(by_seed) < 3:
        raise ValueError("three seeds at least: fewer show nothing about the next one")
    return list(by_seed.values())


def summary(runs: list[dict]) -> dict:
    """``{model: {probe: (mean, low, high)}}`` over the different seeds, with ``mean_interval``.

    Args:
        runs: each ``{"seed": …, "scores": {model: {probe: share}}}``; all have the same models and probes.

    Raises:
        ValueError: fewer than three different seeds.
    """
    chosen = different_seeds(runs)
    scores = chosen[0]["scores"]
    return {
        model: {probe: mean_interval([run["scores"][model][probe] for run in chosen]) for probe in scores[model]}
        for model in scores
    }


def alone(runs: list[dict], probe: str, margin: float = 0.1) -> str | None:
    """The model that in every seed leads each other model by at least ``margin`` at this probe; None if there is none.

    Raises:
        ValueError: fewer than three different seeds.
    """
    leaders = set()
    for run in different_seeds(runs):
        (first, name), (second, _) = sorted(((s[probe], model) for model, s in run["scores"].items()), reverse=True)[:2]
        leaders.add(name if first - second >= margin - 1e-9 else None)
    return leaders.pop() if len(leaders) == 1 else None
