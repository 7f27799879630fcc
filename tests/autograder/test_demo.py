"""The demo with two of its five worlds, a class of ten, a report. One run of some minutes."""

from __future__ import annotations

import json
import re
import statistics
from pathlib import Path

import pytest

from autograder.demo import run as demo_module
from autograder.demo.sample_class import NOTEBOOK, sample_class
from autograder.grading.store import course_dir, find_stored
from autograder.release.read import load_release

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def done(tmp_path_factory) -> Path:
    """The demo's folder; seeds of the worlds are 2026/world and 2027/world. `make demo` trains five: minutes for each."""
    out = tmp_path_factory.mktemp("demo")
    assert demo_module.main(["--out", str(out), "--worlds", "2"]) == 0
    return out


@pytest.fixture(scope="module")
def summary(done) -> dict:
    return json.loads((done / "summary.json").read_text())


@pytest.fixture(scope="module")
def verdicts(done):
    """Student to exercise to verdict."""
    release = load_release(done / "release")
    found = {}
    for sample in sample_class():
        stored = find_stored(course_dir(release), NOTEBOOK, sample.student)
        found[sample.student] = {v.exercise: v for v in stored.result.verdicts}
    return found


def test_summary_has_what_it_promises(summary):
    assert {"seconds", "accuracy", "class", "report"} <= set(summary)
    assert set(summary["accuracy"]) == {"majority", "scratch", "pretrained", "other_world"}
    assert [set(one) >= {"student", "points", "max", "notes"} for one in summary["class"]] == [True] * 10
    assert Path(summary["report"]).is_file()


def test_pretraining_is_worth_what_the_course_says(summary):
    worlds = summary["accuracy_by_world"]
    assert summary["worlds"] == ["2026/world", "2027/world"] == demo_module.world_seeds()[:2]
    assert statistics.fmean(worlds["pretrained"]) >= 0.95 and min(worlds["pretrained"]) >= 0.88
    assert statistics.fmean(worlds["scratch"]) <= 0.10
    assert max(worlds["majority"]) <= 0.07
    assert statistics.fmean(worlds["other_world"]) <= 0.12


@pytest.mark.parametrize("sample", sample_class(), ids=lambda sample: sample.student)
def test_each_hand_in_gets_what_it_earned(sample, verdicts):
    lost = {name for name, v in verdicts[sample.student].items() if v.points < v.max_points}
    if sample.loses is None:  # the cheat did nothing, so nothing is earned
        assert lost == set(verdicts[sample.student])
        assert all(v.points == 0 for v in verdicts[sample.student].values())
    else:
        assert lost == sample.loses
    for name in sample.loses or ():
        words = sample.hint if isinstance(sample.hint, str) else sample.hint[name]
        assert words in verdicts[sample.student][name].hint
        assert verdicts[sample.student][name].points == 0


def test_the_crash_and_the_wreck_are_noted_for_the_instructor(summary):
    notes = {one["student"]: " ".join(one["notes"]) for one in summary["class"]}
    assert "span_corruption" in notes["ivo"]
    assert "london" in notes["jun"] and "trust" in notes["jun"]


def test_feedback_shows_no_hidden_test_and_no_answer(done):
    checks = load_release(done / "release").checks(NOTEBOOK)
    visible = "\n".join(check.visible for check in checks.values())
    hidden = {line.strip() for check in checks.values() for line in check.source.splitlines()} - {
        line.strip() for line in visible.splitlines()
    }
    telling = {line for line in hidden if len(line) > 25 and not line.startswith("#")}
    answers = (done / "release" / "private" / NOTEBOOK / "birth_test.tsv").read_text().splitlines()
    pages = list((done / "report").rglob("*.html"))
    assert len(pages) == 11 and len(telling) > 20
    for page in pages:
        text = page.read_text()
        assert not [line for line in telling if line in text], page.name
        assert not [line for line in answers if line.split("\t")[0] in text], page.name
        assert not re.search(r"Traceback|BEGIN HIDDEN|BEGIN SOLUTION", text), page.name


def test_the_students_folder_holds_no_answer(done):
    release = done / "release"
    answers = (release / "private" / NOTEBOOK / "birth_test.tsv").read_text()
    for path in (release / "student").rglob("*"):
        if path.is_file() and path.stat().st_size < 2**20:
            text = path.read_bytes().decode("utf-8", errors="replace")
            assert answers.splitlines()[0] not in text and "BEGIN HIDDEN" not in text.replace(
                "### BEGIN HIDDEN TESTS`", ""
            )
    assert not list((release / "student").rglob("autograder")) and not list((release / "student").rglob("solutions"))
