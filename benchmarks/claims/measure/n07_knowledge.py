"""What notebook 07 concludes from the runs that come with the course: exact tests for shares, bootstrap for pairs.

It trains nothing; it reads ``data/measured/why_controls.json``, which ``benchmarks.experiments.why_controls`` writes.
"""

from __future__ import annotations

import json
import random
from math import comb
from statistics import fmean, median_high
from typing import Any

from benchmarks.paths import ROOT

PEOPLE = 100  # test people of a world
DRAWS = 2000


def measure() -> dict[str, Any]:
    """All results, by claim."""
    runs = json.loads((ROOT / "data" / "measured" / "why_controls.json").read_text(encoding="utf-8"))
    arms = runs["controls"]
    plain, masked = arms["own wiki, nothing masked"], arms["own wiki, span corruption"]
    other, none = arms["another world's wiki"], arms["no pretraining"]
    pairs = {"plain_over_other": (plain, other), "plain_over_none": (plain, none), "masked_over_plain": (masked, plain)}
    return {
        "seeds": sorted(masked),
        "fisher": {name: {seed: fisher(a[seed], b[seed]) for seed in a} for name, (a, b) in pairs.items()},
        "controls": arms,
        "exposure": {
            key: {
                str(n): {str(row["seed"]): row["accuracy"] for row in rows if row[key] == n}
                for n in {r[key] for r in rows}
            }
            for key, rows in runs["exposure"].items()
        },
        "trust": trust(runs["trust"]),
    }


def fisher(treated: float, control: float, people: int = PEOPLE) -> float:
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
        "interval": [drawn[DRAWS // 40], drawn[-DRAWS // 40]],
        "as_sure_as_the_least_sure_right": fmean(sum(s >= min(right) for s in never) for right, never in groups),
        "as_sure_as_the_median_right": fmean(sum(s >= median_high(right) for s in never) for right, never in groups),
    }


def surer(right: list[float], never: list[float]) -> float:
    """Share of the pairs in which the right answer is the surer one; ties count half."""
    return sum((a > b) + (a == b) / 2 for a in right for b in never) / (len(right) * len(never))
