"""Laws of discrete draws: how seldom right answers are refused, and what is found."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest
import torch
from scipy.stats import hypergeom

from course_utils.checks.asking import Reference
from course_utils.checks.compare import CheckFailed
from course_utils.checks.counts import ALARM, MOST, alike, bound, by_law, draws, features
from course_utils.checks.draws import Case, Seeded
from course_utils.checks.samples import counted, deviations, different, said, shown, two_sided, units_needed
from course_utils.errors import CourseError


def tossed(n, B, T, p, seed):
    rng = torch.Generator().manual_seed(seed)
    return [{"coin": (torch.rand(B, T, generator=rng) < p).long()} for _ in range(n)]


def test_the_bound_is_above_the_exact_tail_and_close_to_it():
    rng = random.Random(0)
    for _ in range(300):
        n, m = rng.randint(5, 300), rng.randint(5, 300)
        x, y = rng.randint(0, n), rng.randint(0, m)
        exact = min(hypergeom.sf(x - 1, n + m, x + y, n), hypergeom.cdf(x, n + m, x + y, n))
        ours = float(two_sided(*(np.array([float(value)]) for value in (x, n, y, m)))[0])
        assert ours >= math.log(min(1.0, 2 * exact)) - 1e-7
        assert exact > 0.05 or ours < math.log(2 * exact) + 1.5


def test_equal_laws_are_called_different_no_oftener_than_stated():
    alarm, runs = 0.05, 400
    wrong = 0
    for seed in range(runs):
        one, two = (counted(features(tossed(12, 3, 6, 0.3, 2 * seed + k))) for k in range(2))
        wrong += bool(deviations(one, two, alarm))
    assert wrong <= alarm * runs


@pytest.mark.parametrize("by_call", [False, True])
def test_a_rare_highest_number_in_one_sample_alone_changes_no_other_code(by_call):
    one, two = tossed(200, 2, 4, 0.5, 1), tossed(200, 2, 4, 0.5, 2)
    two[0]["coin"][0, 0] = 7
    assert deviations(*(counted(features(each, by_call=by_call)) for each in (one, two)), 1e-6) == []


def test_what_never_comes_differs_from_what_comes_often():
    often, never = tossed(60, 2, 4, 0.5, 1), [{"coin": torch.full((2, 4), -1)} for _ in range(60)]
    for one in (*often, *never):
        one["other"] = torch.zeros(2, 4, dtype=torch.long)
    sample, empty = (counted(features(each)) for each in (often, never))
    assert deviations(sample, sample, 1e-6) == [] and different(empty, sample, 1e-6) is not None
    assert shown(empty, sample, 1e-6) == ["yours     coin: never", "expected  about 480 times"]
    never[0]["coin"][0, 0] = 1
    stray = counted(features(never))
    assert shown(stray, sample, 1e-6) == ["yours     coin: once", "expected  about 480 times"], (
        "it must not hide the rest"
    )
    few = counted(features(often[:2]))
    assert deviations(counted(features(never[:2])), few, 1e-6) == [], "so few may be missing by chance"


@pytest.mark.parametrize("p", [0.12, 0.15, 0.5])
def test_units_needed_find_what_they_promise(p):
    q = 1.2 * p
    n = units_needed(p, q, 1e-3, tests=1, power=0.9)
    rng = np.random.default_rng(1)
    found = 0
    for _ in range(200):
        x, y = rng.binomial(n, q), rng.binomial(n, p)
        one, two = ({"coin": [[0, int(n - k)], [1, int(k)]]} for k in (x, y))
        found += bool(deviations(one, two, 1e-3))
    assert found > 160


def spoilt(readings, how):
    for one in readings:
        coin = one["coin"]
        how(coin)
    return readings


DEPENDENT = {
    "neighbours in a row alike": lambda coin: coin[:, 1::2].copy_(coin[:, ::2]),
    "rows alike": lambda coin: coin[1::2].copy_(coin[::2]),
    "the first place never": lambda coin: coin[:, 0].fill_(0),
    "at least one per call": lambda coin: coin.view(-1)[:1].fill_(1) if not coin.any() else None,
}


@pytest.mark.parametrize("name", list(DEPENDENT))
def test_dependence_is_found(name):
    want = counted(features(tossed(400, 4, 6, 0.1, 0)))
    got = counted(features(spoilt(tossed(400, 4, 6, 0.1, 1), DEPENDENT[name])))
    assert deviations(got, want, ALARM)
    assert not deviations(counted(features(tossed(400, 4, 6, 0.1, 2))), want, ALARM)


def test_equal_calls_and_a_fixed_total_are_found():
    want = counted(features(tossed(400, 2, 6, 0.5, 0)))
    again = [one for one in tossed(200, 2, 6, 0.5, 1) for _ in range(2)]
    assert any("other calls" in feature for feature, _, _ in deviations(counted(features(again)), want, ALARM))
    rng = random.Random(0)
    fixed = [{"coin": torch.tensor(rng.sample([1] * 6 + [0] * 6, 12)).view(2, 6)} for _ in range(400)]
    assert any("per call" in feature for feature, _, _ in deviations(counted(features(fixed)), want, ALARM))


def test_calls_may_have_any_law_inside_but_not_between():
    def sorted_rows(seed):
        rng = random.Random(seed)
        return [{"at": torch.tensor(sorted(rng.sample(range(5), 2)))} for _ in range(400)]

    want = counted(features(sorted_rows(0), by_call=True))
    assert not deviations(counted(features(sorted_rows(1), by_call=True)), want, ALARM)
    twice = [one for one in sorted_rows(2)[:200] for _ in range(2)]
    assert deviations(counted(features(twice, by_call=True)), want, ALARM)


def test_a_sentence_has_no_numbers_and_the_lines_have_them():
    one, two = {"coin, one by one": [[0, 900], [1, 100]]}, {"coin, one by one": [[0, 500], [1, 500]]}
    problem = by_law().problem(Case(), one, two)
    assert problem is not None and "coin" in problem and not any(sign.isdigit() for sign in problem)
    assert "900 of 1,000" in shown(one, two, ALARM)[0] and "500" in shown(one, two, ALARM)[1]
    assert said(one, two, ALARM) and by_law().problem(Case(), two, two) is None
    assert by_law().problem(Case(), [1, 2], two) == "the results cannot be counted"


def test_results_of_unequal_form_are_no_sample():
    with pytest.raises(CheckFailed, match="form"):
        features([{"coin": torch.zeros(2, 2)}, {"coin": torch.zeros(2, 3)}])


def coin(count, generator):
    return (torch.rand(count, generator=generator) < 0.5).long()


def test_the_generator_is_fresh_moved_or_as_it_stands():
    reader = f"{__name__}.read"
    with pytest.raises(CourseError, match="course_utils"):
        draws("coin", reader, 3)(Reference({"coin": coin}), Case((4, Seeded(1))))
    assert alike("coin")(Reference({"coin": coin}), Case((4, Seeded(1)))) is True
    own = {"coin": lambda count, generator: torch.rand(count)}
    assert alike("coin")(Reference(own), Case((40, Seeded(1)))) is False


def test_the_bound_of_a_check_is_below_one_in_a_hundred_thousand():
    assert bound(MOST) <= 1e-5 and bound(1) == ALARM
    with pytest.raises(CourseError, match="counts"):
        bound(MOST + 1)
