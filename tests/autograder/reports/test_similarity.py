"""The class report names equal work with what it does not prove; nothing a student names becomes markup."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import save_file

from autograder.grading.pipeline import grade
from autograder.grading.settings import Settings
from autograder.grading.similar_apart import Reader
from autograder.reports import similarity
from autograder.reports.class_report import class_report
from autograder.reports.feedback import write_feedback
from tests.autograder.tiny_course import NAME, fake_execute, hand_in, make_release, solved


@pytest.mark.parametrize("copied", [True, False])
def test_equal_weights_are_named_with_what_they_do_not_prove(tmp_path: Path, copied: bool) -> None:
    release = make_release(tmp_path / "release")
    for seed, student in enumerate(("ann", "ben", "zoe")):
        hand_in(tmp_path / "subs" / student, solved(why=student))
        draws = np.random.default_rng(0 if copied and student != "zoe" else seed)
        weights = {"w": draws.normal(size=(20, 20)).astype(np.float32)}
        save_file(weights, tmp_path / "subs" / student / "work" / NAME / "a&b.safetensors")
    grade(tmp_path / "subs", release, tmp_path / "out", NAME, Settings(progress=False, execute=fake_execute))
    text = class_report(release, NAME, tmp_path / "report").read_text()
    assert ("Equal work" in text) is copied
    if copied:
        assert (
            "<strong>ann</strong> and <strong>ben</strong>: " in text and "a&amp;b.safetensors: equal weights" in text
        )
        assert "a&b" not in text and "does not prove" in text and "same seed" in text


def graded(tmp_path: Path) -> Any:
    """A release in which two are graded."""
    release = make_release(tmp_path / "release")
    for student in ("ann", "ben"):
        hand_in(tmp_path / "subs" / student, solved(why=student))
    grade(tmp_path / "subs", release, tmp_path / "out", NAME, Settings(progress=False, execute=fake_execute))
    return release


def test_one_hand_in_that_cannot_be_compared_does_not_end_the_report(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    release, really = graded(tmp_path), similarity.work_of

    def work_of(stored: Any) -> Any:
        if stored.result.student == "ben":
            raise ZeroDivisionError
        return really(stored)

    monkeypatch.setattr(similarity, "work_of", work_of)
    text = class_report(release, NAME, tmp_path / "report").read_text()
    assert "<strong>ben</strong>: some work could not be compared" in text and "<strong>ann</strong>: some" not in text


def test_code_that_takes_too_long_is_named_and_the_report_is_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    release = graded(tmp_path)
    monkeypatch.setattr(similarity, "Reader", lambda: Reader(piece=0.0))
    text = class_report(release, NAME, tmp_path / "report").read_text()
    for student in ("ann", "ben"):
        assert f"<strong>{student}</strong>: some work could not be compared with others&#39;" in text
    assert "london (no time was left)" in text and "what stands outside of the answers (no time was left)" in text


def test_a_file_of_semicolons_and_a_table_that_is_none_keep_nobody_waiting(tmp_path: Path) -> None:
    release = make_release(tmp_path / "release")
    for student in ("ann", "ben"):
        hand_in(tmp_path / "subs" / student, solved(why="-|\n" * 6_600 + "-|-|-\n" if student == "ann" else student))
    (tmp_path / "subs" / "ann" / "work" / NAME / "notes.py").write_text(";" * 199_000)
    grade(tmp_path / "subs", release, tmp_path / "out", NAME, Settings(progress=False, execute=fake_execute))
    began = time.monotonic()
    pages = write_feedback(release, NAME, tmp_path / "pages", progress=False)
    assert class_report(release, NAME, tmp_path / "report").is_file() and len(pages) == 2
    assert time.monotonic() - began < 60
