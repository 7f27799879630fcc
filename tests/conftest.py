"""The order in which files are tested: those that take longest first, so that at the end no process works alone."""

from __future__ import annotations

import gc
import os
import re
import time
from collections.abc import Iterator
from typing import Any

import pytest

from tests.paths import ROOT

# Files by their seconds, the longest first: those with slow tests, then those of ``make test``. All others follow in pytest's
# order, none of which takes more than about five seconds. A name that is not there any more costs time and nothing else.
LONGEST = (
    "attacks/test_channel.py", "course_utils/checks/test_span_corruption.py", "faults/test_faults.py",
    "browser/test_pages.py", "attacks/test_attacks.py", "autograder/quality/test_misconceptions.py",
    "autograder/quality/test_generated.py", "autograder/source/test_after_restart.py", "browser/test_desk.py",
    "solutions/test_notebook02.py", "solutions/test_course.py", "autograder/grading/test_regrade.py",
    "autograder/grading/test_records.py", "autograder/reports/test_roll.py", "autograder/grading/test_marks.py",
    "autograder/reports/test_handback.py", "autograder/grading/test_pipeline.py", "benchmarks/test_class_size.py",
    "browser/test_story.py", "browser/test_marking.py", "autograder/grading/test_again.py",
    "autograder/grading/test_dask.py", "autograder/release/test_version_0_1.py", "benchmarks/test_speed.py",
    "autograder/judge/test_judge.py", "autograder/release/test_gradescope.py", "autograder/quality/test_exercise.py",
    "autograder/release/test_release.py", "autograder/judge/test_no_answer.py", "course_utils/test_resume.py",
    "autograder/quality/test_seed_sweep.py", "autograder/source/test_build.py", "course_utils/test_engine.py",
    "autograder/grading/test_death.py", "autograder/grading/test_mend.py", "course_utils/test_cli.py",
    "autograder/sandbox/test_limits.py", "solutions/test_notebook06.py", "autograder/release/test_exchange.py",
    "solutions/test_notebook07.py", "autograder/reports/test_term.py", "solutions/test_notebook08.py",
    "autograder/release/test_colab.py",
)  # fmt: skip
DEMO = ROOT / "tests/autograder/test_demo.py"  # minutes in one process: begun last, the others would wait for it
RANK = {ROOT / "tests" / name: number for number, name in enumerate(LONGEST)}


# Tests of every exercise that take minutes for a notebook: each may go to a process of its own, or each notebook, whose
# exercises share a kernel.
MISCONCEPTIONS = "test_every_misconception_is_named_and_every_right_answer_accepted"
APART = (
    MISCONCEPTIONS,
    "test_a_tape_of_right_replies_does_not_pass_at_another_seed",
    "test_an_empty_cell_earns_nothing",
    "test_a_wrong_answer_earns_nothing_among_forged_tools",
)
NOTEBOOK = re.compile(r"\d\d_[a-z_]+")
# Slow tests begin until this time, in seconds since 1970. CI sets it, so that a machine of half the speed reaches its end;
# what was not run is named at the end.
UNTIL = float(os.environ.get("SLOW_TESTS_UNTIL", "inf"))
NOT_RUN = "not run: this machine is slow, and the time in which slow tests begin is over"
left_out: list[str] = []


def together(nodeid: str) -> str:
    """What tests that stay in one process have in common: their file, whose fixtures are made once there.

    For those of APART, file and notebook; a test of an exercise's answers on file stays with no other.
    """
    path, _, test = nodeid.partition("::")
    name, _, given = test.partition("[")
    if name == MISCONCEPTIONS:
        return nodeid
    notebook = NOTEBOOK.search(given) if name in APART else None
    return f"{path} {notebook[0]}" if notebook else path


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Deal tests out as :func:`together` says; xdist's own groups have no effect in this version of pytest."""
    from xdist.scheduler import LoadFileScheduling  # a machine without xdist runs the tests one by one

    class Together(LoadFileScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return together(nodeid)

    return Together(config, log)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put what takes longest first, and the longest files; the order within each of them stays."""
    items.sort(
        key=lambda item: (
            item.path != DEMO,
            getattr(item, "originalname", "") not in APART or not item.get_closest_marker("slow"),
            RANK.get(item.path, len(RANK)),
        )
    )


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Leave out a slow test when the time in which slow tests begin is over; before its fixtures are made."""
    if item.get_closest_marker("slow") and time.time() > UNTIL:
        pytest.skip(NOT_RUN)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Name every test that was left out for time: pytest's own summary counts them in one line."""
    if left_out:
        terminalreporter.section(f"{len(left_out)} SLOW TESTS NOT RUN: `make test-all` has no such limit", red=True)
        for name in left_out:
            terminalreporter.line(name)


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Name what failed at once: a run that is stopped by its time limit never comes to its summary."""
    if report.skipped and NOT_RUN in str(report.longrepr):
        left_out.append(report.nodeid)
    if report.failed and "PYTEST_XDIST_WORKER" not in os.environ:
        crash = getattr(report.longrepr, "reprcrash", None)
        why = crash.message.splitlines()[0] if crash and crash.message else ""
        print(f"\nFAILED {report.nodeid} ({report.when}): {why[:300]}", flush=True)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """Let Python's collector pass over what imports have made, which stays to the end: it was a tenth of all time."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()
