"""What notebook 07 concludes from the runs that come with the course: exact tests over worlds, bootstrap over people too.

It trains nothing; it reads ``data/measured/why_controls.json``, which ``benchmarks.experiments.why_controls`` writes, the
runs of ``benchmarks.experiments.plain_reading``, and the twenty worlds of ``benchmarks.thresholds.calibrate``. A difference
between two arms is tested in three ways: within each world by Fisher's exact test; over worlds by turning the signs of the
paired differences in all ways (exact); and by a bootstrap that draws worlds, and in each world people, anew.
"""

from __future__ import annotations

import json
import random
from collections import Counter
from math import comb
from statistics import fmean, median_high
from typing import Any

from benchmarks.experiments.why_controls import MASKED, OTHER, PEOPLE, PLAIN, SCRATCH
from benchmarks.paths import RESULTS, ROOT
from course_utils.metrics import mean_interval

PEOPLE_ASKED = 100  # test people of a world
DRAWS = 2000


def measure() -> dict[str, Any]:
    """All results, by claim."""
    runs = json.loads((ROOT / "data" / "measured" / "why_controls.json").read_text(encoding="utf-8"))
    calibrated = json.loads((RESULTS / "calibration.json").read_text(encoding="utf-8"))
    arms = runs["controls"]
    pairs = {
        "masked_over_people": (MASKED, PEOPLE), "masked_over_plain": (MASKED, PLAIN), "plain_over_people": (PLAIN, PEOPLE),
        "plain_over_none": (PLAIN, SCRATCH), "plain_over_other": (PLAIN, OTHER), "people_over_none": (PEOPLE, SCRATCH),
    }  # fmt: skip
    twenty = {name: by_world(calibrated, name) for name in ("pretrained", "other_world", "scratch", "majority")}
    return {
        "seeds": sorted(arms[MASKED]),
        "pairs": {name: paired(arms[a], arms[b]) for name, (a, b) in pairs.items()},
        "twenty_worlds": {
            "own_over_other": paired(twenty["pretrained"], twenty["other_world"]),
            "own_over_none": paired(twenty["pretrained"], twenty["scratch"]),
            "other_over_none": paired(twenty["other_world"], twenty["scratch"]),
        },
        "masked_against_plain": ranked(
            [*arms[MASKED].values(), *twenty["pretrained"].values()], list(arms[PLAIN].values())
        ),
        "controls": arms,
        "exposure": {
            key: {
                str(n): {str(row["seed"]): row["accuracy"] for row in rows if row[key] == n}
                for n in {r[key] for r in rows}
            }
            for key, rows in runs["exposure"].items()
        },
        "trust": trust(runs["trust"]),
        "plain_reading": plain_reading(),
    }


def plain_reading() -> dict[str, Any]:
    """Shares by form of reading and finetuning; span corruption minus plain text with line ends, paired by world, in points.

    ``low`` and ``high``: 95 %, Student's t over worlds; ``people_too``: bootstrap over worlds and people.
    """
    shares = json.loads((RESULTS / "plain_reading.json").read_text(encoding="utf-8"))["vanilla"]
    gains: dict[str, Any] = {}
    for tuning in shares["lines"]:
        lines, spans = shares["lines"][tuning]["test"], shares["spans"][tuning]["test"]
        by_seed = {world: 100 * (spans[world] - lines[world]) for world in sorted(set(lines) & set(spans))}
        if len(by_seed) > 1:
            mean, low, high = mean_interval(list(by_seed.values()))
            people_too = paired(spans, lines)["interval"]
            gains[tuning] = {"worlds": by_seed, "mean": mean, "low": low, "high": high, "people_too": people_too}
    return {"shares": shares, "gains": gains}


def by_world(calibrated: dict[str, Any], arm: str) -> dict[str, float]:
    """Accuracy on test people of one arm of the calibration, by world."""
    return dict(zip(map(str, calibrated["seeds"]), calibrated["test_accuracy"][arm], strict=True))


def paired(treated: dict[str, float], control: dict[str, float]) -> dict[str, Any]:
    """Two arms on the worlds that both have: differences of shares, and how sure it is that they are no chance.

    ``sign_flips``: exact probability, one-sided, that differences of these sizes with random signs have so large a sum.
    ``interval``: 95 % of the mean difference, bootstrap over worlds, and over the people of each world in each arm.
    ``fisher``: within each world, one-sided; ``fisher_two_sided``: both sides.
    """
    worlds = sorted(set(treated) & set(control))
    pairs = [(round(treated[w] * PEOPLE_ASKED), round(control[w] * PEOPLE_ASKED)) for w in worlds]
    shares = {w: (treated[w], control[w]) for w in worlds}
    rng = random.Random(0)
    means = sorted(
        fmean(_drawn(a, rng) - _drawn(b, rng) for a, b in rng.choices(pairs, k=len(pairs))) for _ in range(DRAWS)
    )
    return {
        "worlds": worlds,
        "differences": {w: (a - b) / PEOPLE_ASKED for w, (a, b) in zip(worlds, pairs, strict=True)},
        "mean": fmean((a - b) / PEOPLE_ASKED for a, b in pairs),
        "interval": [means[DRAWS // 40] / PEOPLE_ASKED, means[-DRAWS // 40] / PEOPLE_ASKED],
        "sign_flips": sign_flips([a - b for a, b in pairs]),
        "fisher": {w: fisher(treated[w], control[w]) for w in worlds},
        # both groups are of the same size, so the other side is as likely
        "fisher_two_sided": {w: min(1.0, 2 * min(fisher(*pair), fisher(*pair[::-1]))) for w, pair in shares.items()},
    }


def _drawn(right: int, rng: random.Random) -> int:
    """Right answers among as many people, each drawn anew from those of this arm."""
    return sum(rng.random() < right / PEOPLE_ASKED for _ in range(PEOPLE_ASKED))


def sign_flips(differences: list[int]) -> float:
    """Exact share of all choices of signs for which the sum is at least the sum of ``differences``."""
    sums = Counter({0: 1})
    for size in map(abs, differences):
        sums = _both_signs(sums, size)
    return sum(n for total, n in sums.items() if total >= sum(differences)) / sums.total()


def _both_signs(sums: Counter[int], size: int) -> Counter[int]:
    found: Counter[int] = Counter()
    for total, n in sums.items():
        found[total + size] += n
        found[total - size] += n
    return found


def ranked(higher: list[float], lower: list[float]) -> dict[str, Any]:
    """Whether every value of one group is above every one of the other, and how likely that order is by chance."""
    apart = min(higher) > max(lower)
    return {
        "of": [len(higher), len(lower)], "lowest": min(higher), "highest": max(lower),
        "chance": 1 / comb(len(higher) + len(lower), len(lower)) if apart else 1.0,
    }  # fmt: skip


def fisher(treated: float, control: float, people: int = PEOPLE_ASKED) -> float:
    """One-sided exact probability that ``treated`` is as far above ``control`` by chance, both shares of ``people``."""
    right, total = round(treated * people), round(treated * people) + round(control * people)
    ways = sum(comb(people, k) * comb(people, total - k) for k in range(right, min(people, total) + 1))
    return ways / comb(2 * people, total)


def trust(runs: dict[str, dict[str, list[Any]]]) -> dict[str, Any]:
    """How often a right answer is surer than one about a person in no document: bootstrap over runs and people."""
    groups = [
        ([sure for sure, ok in zip(run["confidences"], run["correct"], strict=True) if ok], run["never"])
        for run in runs.values()
    ]
    rng = random.Random(0)
    drawn = sorted(
        fmean(surer(rng.choices(a, k=len(a)), rng.choices(b, k=len(b))) for a, b in rng.choices(groups, k=len(groups)))
        for _ in range(DRAWS)
    )
    return {
        "seeds": sorted(runs),
        "people": sum(len(right) for right, _ in groups),
        "surer": fmean(surer(right, never) for right, never in groups),
        "each": {seed: surer(*group) for seed, group in zip(runs, groups, strict=True)},
        "interval": [drawn[DRAWS // 40], drawn[-DRAWS // 40]],
        "as_sure_as_the_least_sure_right": fmean(sum(s >= min(right) for s in never) for right, never in groups),
        "as_sure_as_the_median_right": fmean(sum(s >= median_high(right) for s in never) for right, never in groups),
    }


def surer(right: list[float], never: list[float]) -> float:
    """Share of the pairs in which the right answer is the surer one; ties count half."""
    return sum((a > b) + (a == b) / 2 for a in right for b in never) / (len(right) * len(never))
