"""Accuracy, intervals and utilisation, against independent implementations (scipy, simulation)."""

from math import inf
from random import Random

import pytest
import scipy.stats

from course_utils import metrics
from course_utils.errors import CourseError


def test_exact_match_counts_equal_strings():
    assert metrics.exact_match(["Oslo", "Rome", "rome", "Oslo "], ["Oslo", "Rome", "Rome", "Oslo"]) == 0.5
    assert metrics.count_correct(["a"], ["b"]) == 0


@pytest.mark.parametrize(
    ("predictions", "answers", "message"),
    [(["a"], ["a", "b"], "1 predictions for 2"), ([], [], "empty"), (["a", "b"], ["a", None], "Question 2")],
)
def test_exact_match_needs_answers(predictions, answers, message):
    with pytest.raises(CourseError, match=message):
        metrics.exact_match(predictions, answers)


@pytest.mark.parametrize(("k", "n"), [(0, 1), (1, 1), (0, 50), (3, 7), (97, 100), (25, 500)])
@pytest.mark.parametrize("confidence", [0.8, 0.95, 0.999])
def test_wilson_interval_equals_scipy(k, n, confidence):
    expected = scipy.stats.binomtest(k, n).proportion_ci(confidence, method="wilson")
    assert metrics.wilson_interval(k, n, confidence) == pytest.approx((expected.low, expected.high), abs=1e-12)


@pytest.mark.parametrize("p", [0.025, 0.5, 0.6, 0.9, 0.975, 0.9995])
def test_t_quantile_equals_scipy(p):
    for df in [*range(1, 31), 99, 100, 1000, 1001, 5000]:
        expected = scipy.stats.t.ppf(p, df)
        assert metrics.t_quantile(p, df) == pytest.approx(expected, rel=1e-9 if df <= 1000 else 1e-5, abs=1e-9)


def test_mean_interval_equals_scipy():
    values = [0.97, 0.99, 0.95, 1.0, 0.96]
    expected = scipy.stats.ttest_1samp(values, 0).confidence_interval(0.9)
    mean, low, high = metrics.mean_interval(values, 0.9)
    assert (low, high) == pytest.approx((expected.low, expected.high), abs=1e-12)
    assert mean == pytest.approx(0.974)


def test_mean_interval_covers_the_mean_as_often_as_it_says():
    rng = Random(7)
    hits = 0
    for _ in range(2000):
        _, low, high = metrics.mean_interval([rng.gauss(3, 2) for _ in range(4)], 0.9)
        hits += low <= 3 <= high
    assert 0.87 <= hits / 2000 <= 0.93  # 4.5 standard deviations


def test_one_value_has_no_interval():
    assert metrics.mean_interval([0.5]) == (0.5, -inf, inf)


@pytest.mark.parametrize(
    "call",
    [
        lambda: metrics.wilson_interval(3, 2),
        lambda: metrics.wilson_interval(0, 0),
        lambda: metrics.wilson_interval(1, 2, 95),
        lambda: metrics.mean_interval([]),
        lambda: metrics.t_quantile(0.9, 0),
        lambda: metrics.mfu(0, 1, 1),
    ],
)
def test_impossible_numbers_are_refused(call):
    with pytest.raises(CourseError):
        call()


def test_mfu_is_a_share_of_the_peak():
    assert metrics.mfu(1e6, 2e7, 4e13) == pytest.approx(0.5)
