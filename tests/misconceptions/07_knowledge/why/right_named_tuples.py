# expect: accept
# Rows and results are named tuples, and values are grouped after sorting.
from itertools import groupby
from operator import itemgetter
from typing import NamedTuple


class Effect(NamedTuple):
    mean: float
    low: float
    high: float
    verdict: str


class Row(NamedTuple):
    value: float
    mean: float
    low: float
    high: float


def effect(treated, control):
    found = mean_interval([a - b for a, b in zip(treated, control)])
    if found[1] <= 0 <= found[2]:
        return Effect(*found, "not shown")
    return Effect(*found, "helps" if found[0] > 0 else "hurts")


def exposure_curve(runs, key):
    rows = []
    for value, group in groupby(sorted(runs, key=itemgetter(key)), key=itemgetter(key)):
        rows.append(Row(value, *mean_interval([run["accuracy"] for run in group])))
    return rows
