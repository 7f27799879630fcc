"""What a student is told comes from public draws; points from secret ones; what kills the kernel costs itself alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from autograder.judge import hints
from autograder.judge.execute import decided, execute
from autograder.judge.hints import CheckOutcome, explain, shown
from autograder.records import Result, Verdict
from autograder.sandbox.bubblewrap import MIB, Limits
from autograder.sandbox.kernel import EXCEPTIONS, KernelStopped, RemoteError
from course_utils.checks.forbidden import refusal
from tests.attacks import toy
from tests.attacks.points import rules
from tests.attacks.record import FULL

LIMITS = Limits(memory=600 * MIB, processes=24, disk=32 * MIB)
KILL = "import os\n    os._exit(1)"


def judged(
    folder: Path, answers: Mapping[str, str], before: str = "", seed: int | None = 5, **checks: str
) -> tuple[Result, dict[str, Verdict]]:
    """The toy course; ``checks`` are other check texts."""
    job = toy.job(folder, toy.notebook(answers, before), toy.checks(20.0, **checks), seed)
    result = execute(job, LIMITS, cell_seconds=3.0, notebook_seconds=60.0)
    return result, {verdict.exercise: verdict for verdict in result.verdicts}


def test_a_failure_with_secret_draws_alone_is_one_sentence(tmp_path: Path) -> None:
    answers = {
        **toy.RIGHT,
        # right with the draws of check("mean") in every notebook, wrong with others
        "mean": "import random\nKNOWN = random.Random(zlib.crc32(b'mean')).random()\nAT = []\n"
        "def mean(values):\n    AT.append(values[0])\n    fine = AT[0] == KNOWN\n"
        "    if fine:\n        return sum(values) / len(values)\n    raise KeyError(str(values))",
        "double": "def double(values):\n    return [2 * v for v in values[:3]]",
    }
    answers["mean"] = "import zlib\n" + answers["mean"]
    _, found = judged(tmp_path, answers)
    assert (found["mean"].status, found["mean"].points, found["mean"].hint) == ("failed", 0.0, hints.OTHER_INPUTS)
    assert "KeyError" in found["mean"].detail, "the instructor sees what happened"
    assert found["double"].status == "partial" and found["double"].points == pytest.approx(3 * 3 / 8)


def test_an_answer_does_not_see_what_came_right_with_secret_draws(tmp_path: Path) -> None:
    """The second exercise says how often the first one was called; that one is wrong with some secret draws only."""
    public = "random.Random(zlib.crc32(b'mean')).random()"
    answers = {
        "mean": f"import random, zlib\nSEEN, KNOWN = [], {public}\ndef mean(values):\n    SEEN.append(values[0])\n"
        "    known = SEEN[0] == KNOWN or SEEN[0] < 0.5\n    return sum(values) / len(values) if known else 0",
        "softmax": "def softmax(x):\n    raise [ValueError, KeyError][bool(SEEN)]",
    }
    told = set()
    for seed in range(8):
        (tmp_path / str(seed)).mkdir()
        _, found = judged(tmp_path / str(seed), answers, seed=seed)
        told.add((found["mean"].status, found["softmax"].hint))
    assert {status for status, _ in told} == {"passed", "failed"}, "the draws differ in what is to be kept secret"
    assert len({hint for _, hint in told}) == 1, told


def test_outputs_come_from_before_the_checks(tmp_path: Path) -> None:
    """A cell behind a check prints what the checked function was called with: nothing yet."""
    answers = {**toy.RIGHT, "mean": "SEEN = []\ndef mean(v):\n    SEEN.append(v)\n    return sum(v) / len(v)"}
    answers["softmax"] = "print('seen', len(SEEN))\n" + toy.RIGHT["softmax"]
    result, _ = judged(tmp_path, answers)
    assert result.points == 8.0
    assert result.outputs["answer-softmax"][0]["text"] == "seen 0\n"


def test_a_name_bound_anew_behind_its_check_costs_nothing(tmp_path: Path) -> None:
    answers = {**toy.RIGHT, "double": toy.RIGHT["double"] + "\nmean = 3"}
    result, _ = judged(tmp_path, answers)
    assert result.points == 8.0


def test_the_instructors_files_are_not_read_for_hints(tmp_path: Path) -> None:
    text = """
with check("mean") as c:
    c.that(student.mean([1.0]) == 1.0, "one value is its own mean")
    secret = private.lines("secret.txt")
    c.fails(f"the secret is {secret} and {student.mean(secret)}")
"""
    answers = {**toy.RIGHT, "mean": "def mean(v):\n    return v[0]"}
    job = toy.job(tmp_path, toy.notebook(answers), toy.checks(20.0, mean=text))
    (job.private / "secret.txt").write_text("Lovelace\n")
    verdict = execute(job, LIMITS).verdicts[0]
    assert (verdict.status, verdict.hint) == ("failed", hints.OTHER_DATA) and "Lovelace" in verdict.detail


def test_only_the_wanted_checks_are_judged_and_no_other_runs_as_a_cell(tmp_path: Path) -> None:
    job = toy.job(tmp_path, toy.notebook({**toy.RIGHT, "mean": "def mean(v):\n    return 0"}), toy.checks(20.0))
    whole = execute(job, LIMITS)
    part = execute(replace(job, only=frozenset({"mean", "softmax"})), LIMITS)
    assert [one.exercise for one in part.verdicts] == ["mean", "softmax"]
    kept = {one.exercise: (one.status, one.points, one.hint, one.seed) for one in whole.verdicts}
    assert {v.exercise: (v.status, v.points, v.hint, v.seed) for v in part.verdicts}.items() <= kept.items()
    assert not [name for name in part.outputs if name.startswith("check-")]


def test_an_honest_exercise_after_three_killers_gets_its_points(tmp_path: Path) -> None:
    book = toy.notebook({**toy.RIGHT, "mean": f"def mean(v):\n    {KILL}", "softmax": f"def softmax(x):\n    {KILL}"})
    for number in range(3):
        book["cells"].insert(2, toy.code_cell(f"extra-{number + 2}", "import os\nos._exit(1)"))
    result = execute(toy.job(tmp_path, book), LIMITS, cell_seconds=3.0, notebook_seconds=60.0)
    found = {verdict.exercise: verdict for verdict in result.verdicts}
    assert [found[name].status for name in toy.RIGHT] == ["dead", "dead", "passed"] and result.points == 3.0
    assert len(result.notes) == len(set(result.notes)) <= 8
    assert sum("mean" in note for note in result.notes) == 1, "an exercise is named once"


def test_calls_of_a_forbidden_function_are_counted(tmp_path: Path) -> None:
    """No name and no string of the notebook says fmean: it is the third of its kind in the module."""
    search = "next(f for n, f in sorted(vars(statistics).items()) if n[:1] == 'f' and n[-2:] == 'an')"
    cheat = f"import statistics\ndef mean(values):\n    return {search}(values)"
    honest = "import statistics\ndef mean(values):\n    return statistics.mean(values)"
    _, found = judged(tmp_path, {"mean": cheat})
    assert found["mean"].hint == refusal(["fmean"]) and found["mean"].points == 0
    _, found = judged(tmp_path, {"mean": honest})
    assert found["mean"].points == 2.0


# ---------------------------------------------------------------- hints


def test_hints_have_names_from_a_closed_list_and_lines_of_the_cell() -> None:
    for error, hint in {
        RemoteError("ValueError", "secret 17", 3): "your code raised ValueError in line 3",
        RemoteError("ValueError", "secret 17", 4): "your code raised ValueError",
        RemoteError("ValueError", "secret 17", -1): "your code raised ValueError",
        RemoteError("Secret17", "secret 17", 1): "your code raised an exception in line 1",
        RemoteError("LinAlgError", "secret 17"): "your code raised LinAlgError",
        KernelStopped("error", "fixed", "unknown kind of value b'secret'"): "fixed",
        KeyError("secret 17"): hints.UNUSABLE,
    }.items():
        outcome = explain(error, 3)
        assert outcome.hint == hint and "secret" in outcome.detail
        assert "ecret" not in str(outcome.hint)


def test_the_text_of_an_exception_stays_out_of_a_checks_own_hint() -> None:
    error = RemoteError("Secret17", "secret 17", 1)
    assert f"your code raised {error}" == "your code raised an exception"
    assert "ValueError" in EXCEPTIONS and len(set(EXCEPTIONS)) == len(EXCEPTIONS) < 100


def test_hints_are_one_printable_line() -> None:
    assert shown("a\nb\x1b[31m\u202e c\ud800" + "x" * 999).startswith("a b [31m c")
    assert len(shown("x" * 9999)) == hints.HINT_LENGTH


def secret(share: float) -> CheckOutcome:
    """An outcome with secret draws."""
    return CheckOutcome("partial", fraction=share)


SHARES = [0.0, 0.25, 0.5, 0.75, 1.0]


@pytest.mark.parametrize("opened", [None, *(CheckOutcome("partial", "h", fraction=share) for share in SHARES)])
def test_whatever_came_right_in_secret_two_things_can_be_told(opened: CheckOutcome | None) -> None:
    """For one outcome with public draws, over all shares that secret draws may give."""
    told = {(one.status, one.hint, one.fraction) for one in (decided([secret(share)], opened) for share in SHARES)}
    assert len(told) <= 2
    undecided = CheckOutcome("failed", "h", undecided=True)
    ends = {(one.status, one.hint, one.fraction) for one in (decided([secret(share)], undecided) for share in SHARES)}
    assert len(ends) == 2
    assert decided([secret(1.0)], undecided).fraction == 1 and decided([secret(0.75)], undecided).fraction == 0


def test_a_part_counts_only_where_it_was_right_with_secret_draws() -> None:
    """An answer that swaps its right part between the passes earns neither part."""
    opened = CheckOutcome("partial", "h", fraction=0.6, parts={"slips": 0.6})
    other = CheckOutcome("partial", "h", fraction=0.4, parts={"total": 0.4})
    assert decided([other], opened).fraction == 0
    assert decided([other, replace(opened, hint="again")], opened).fraction == 0.6
    both = CheckOutcome("passed", fraction=1.0, parts={"slips": 0.6, "total": 0.4})
    assert decided([both], opened).fraction == 0.6


@pytest.mark.slow
@pytest.mark.parametrize(("exercise", "body"), [
    ("product", "return (q @ k.transpose(-1, -2) / q.shape[-1] ** 0.5).softmax(-1) @ v"),
    ("twice", "return x * 2"),
])  # fmt: skip
def test_answers_that_keep_the_rules_earn_the_point(tmp_path: Path, exercise: str, body: str) -> None:
    assert rules.strike(tmp_path, FULL, exercise, "", body).gain == 1.0
