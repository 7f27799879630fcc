"""The grading threshold: derived from twenty runs as written down, and a bound that keeps its promise on simulated classes."""

import json
import random

import pytest
import torch

from benchmarks.thresholds import margins
from benchmarks.thresholds.calibrate import CAP, OUT, THRESHOLDS, lower_bound
from course_utils.checkpoint import save_weights
from course_utils.config import PROFILES
from course_utils.corpora.world import generate
from course_utils.model import GPT
from solutions.reference.experiment import place, vocabulary

FOUND = json.loads(OUT.read_text())


def test_the_threshold_is_what_the_recorded_runs_give():
    runs = FOUND["test_accuracy"]["pretrained"]
    assert len(runs) == len(FOUND["seeds"]) >= 20
    assert lower_bound(runs) == FOUND["bound"]
    assert (
        json.loads(THRESHOLDS.read_text())["finetuned_test_accuracy"] == FOUND["threshold"] == min(FOUND["bound"], CAP)
    )


def test_right_and_wrong_are_far_apart_on_either_side_of_it():
    conditions = FOUND["test_accuracy"]
    assert min(conditions["pretrained"]) > FOUND["threshold"] + 0.05
    assert max(conditions["scratch"] + conditions["other_world"] + conditions["majority"]) < FOUND["threshold"] - 0.5
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


def test_right_pretrainings_stay_far_from_what_is_asked_of_them():
    found = json.loads(margins.OUT.read_text())
    asked, summary = found["thresholds"], found["summary"]
    assert (
        asked.items()
        <= {k.removeprefix("pretrained_"): v for k, v in json.loads(THRESHOLDS.read_text()).items()}.items()
    )
    assert len(found["worlds"]) >= 5 and all(len(world["cloze"]) >= 10 for world in found["worlds"])
    assert summary["mask_loss"]["max"] < asked["mask_loss"] - 0.5
    assert summary["cloze"]["min"] > asked["cloze"] + 0.3 and summary["cloze_other_world"]["max"] < asked["cloze"] - 0.3


def test_weights_that_learned_nothing_are_found_beyond_the_margins(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(margins, "world_seeds", lambda: ["a/world", "b/world"])
    arguments = ["--worlds", str(tmp_path), "--draws", "1", "--out", str(tmp_path / "found.json")]
    assert margins.main(arguments) == 2 and "run `make demo` first" in capsys.readouterr().err
    for seed in margins.world_seeds():
        vocab = vocabulary(generate(seed))
        path = place(tmp_path, seed) / "pretrained.safetensors"
        path.parent.mkdir()
        torch.manual_seed(0)
        save_weights(path, GPT(PROFILES["laptop"].model_for(len(vocab))), vocab)
    assert margins.main(arguments) == 1
    found = json.loads((tmp_path / "found.json").read_text())
    assert found["summary"]["mask_loss"]["min"] > found["thresholds"]["mask_loss"]
