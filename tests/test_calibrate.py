"""The grading threshold: derived from twenty runs as written down, and a bound that keeps its promise on simulated classes."""

import json
import random

import pytest

from benchmarks.calibrate import CAP, RESULTS, THRESHOLDS, lower_bound

FOUND = json.loads(RESULTS.read_text())


def test_the_threshold_is_what_the_recorded_runs_give():
    runs = FOUND["test_accuracy"]["pretrained"]
    assert len(runs) == len(FOUND["seeds"]) >= 20
    assert lower_bound(runs) == FOUND["bound"]
    assert (
        json.loads(THRESHOLDS.read_text())["finetuned_test_accuracy"] == FOUND["threshold"] == min(FOUND["bound"], CAP)
    )


def test_right_and_wrong_are_far_apart_on_either_side_of_it():
    arms = FOUND["test_accuracy"]
    assert min(arms["pretrained"]) > FOUND["threshold"] + 0.05
    assert max(arms["scratch"] + arms["other_world"] + arms["majority"]) < FOUND["threshold"] - 0.5
    assert min(FOUND["train_accuracy_scratch"]) >= 0.95  # it did learn: by heart


def test_fewer_than_twenty_runs_are_refused():
    with pytest.raises(ValueError, match="too few"):
        lower_bound([0.98] * 19)


def test_the_threshold_that_is_used_fails_fewer_than_one_right_run_in_a_thousand():
    """Classes whose run-to-run spread is wider than chance alone; 400 calibrations, 200 further runs each."""
    rng = random.Random(12)

    def run() -> float:
        shape = rng.betavariate(60, 1.4)
        return sum(rng.random() < shape for _ in range(100)) / 100

    thresholds = [min(lower_bound([run() for _ in range(20)]), CAP) for _ in range(400)]
    below = sum(run() < threshold for threshold in thresholds for _ in range(200))
    assert below / 80_000 < 1e-3
