"""Right answers on file under fresh seeds: one that is refused is named, and so is a promise that hangs on last digits."""

from __future__ import annotations

import json
from typing import Any

import pytest
import torch

from autograder.quality import right_answers as room
from autograder.quality.filed import right_by_name
from autograder.quality.other_ways import WAYS
from autograder.quality.right_answers import Judged, jobs_of, judge, report
from autograder.source.percent import read_source
from course_utils.checks.agree import close
from course_utils.checks.asking import load
from course_utils.checks.promises import promise, promises
from course_utils.errors import CourseError
from tests.paths import ROOT

PATH, NAME = ROOT / "solutions" / "01_attention.py", "copying"


def test_all_right_answers_of_an_exercise_are_judged_with_each_seed():
    found = judge(PATH, NAME, range(5, 7))
    texts = right_by_name(read_source(PATH), NAME)
    assert len(texts) > 3 and next(iter(texts)) == "the solution"
    assert (found.exercise, found.seeds, found.answers, found.refused) == (
        *(f"01_attention/{NAME}", 2, len(texts) + len(WAYS), []),
    )
    assert found.trials > 100 * len(texts) and found.state == room.state_of(PATH, NAME)


def test_one_that_is_wrong_is_named_with_its_seed_and_promise(monkeypatch):
    """The control: the same bench refuses an answer that is wrong by a thousandth."""
    right = right_by_name(read_source(PATH), NAME)["the solution"]
    wrong = right + "\n_kept = copying\ndef copying(K, j, eps):\n    return _kept(K, j, eps) * 1.001\n"
    monkeypatch.setattr(room, "right_by_name", lambda *_: {"the solution": right, "wrong": wrong})
    found = judge(PATH, NAME, range(2))
    assert [one.split(":")[0] for one in found.refused] == ["wrong, seed 0", "wrong, seed 1"]


def sharp(d: Any) -> tuple[Any, ...]:
    """A number and what it is multiplied by; one in five times by so much that the sine is noise."""
    return d.normal(3, dtype=torch.float32), 1e6 if d.rng.random() < 0.2 else 1.0


@pytest.mark.parametrize("steady", [False, True])
def test_promises_that_hang_on_the_last_digits_are_named_unless_such_cases_are_drawn_again(steady):
    one = promise("any scale", "q", sharp, fresh=10, far=False, steady=steady)
    check = promises(reference={"f": lambda x, k: torch.sin(k * x)}, agree=close(), always=(), kept=[one])
    found = Judged("x")
    for seed in range(20):
        room._count(found, check, room.drawn(check, seed))
    assert found.cases == {"any scale": 200}
    assert bool(found.hanging()) is not steady and bool(found.unsteady) is not steady
    few = Judged("x", cases={"any scale": 20}, unsteady={"any scale": room.FEWEST - 1})
    assert few.hanging() == []


def test_seeds_of_unchanged_answers_add_up_and_others_begin_anew(tmp_path, monkeypatch):
    monkeypatch.setattr(room, "TURN", 4)
    one = Judged(f"01_attention/{NAME}", room.state_of(PATH, NAME), 4, 7, 100, [], {"a": 9}, {"a": 1})
    old = Judged("01_attention/projector", "0" * 12, 4, 9, 100)
    record = tmp_path / "record.json"
    record.write_text(json.dumps(report([one, old])))
    kept = room.kept_in(record)
    assert kept == {one.exercise: one}
    more = Judged(one.exercise, one.state, 2, 7, 50, ["x, seed 5: y"], {"a": 3, "b": 1}, {"a": 2})
    both = one + more
    assert (both.seeds, both.trials, both.refused) == (6, 150, more.refused)
    assert (both.cases, both.unsteady) == ({"a": 12, "b": 1}, {"a": 3})
    jobs = [(PATH, NAME), (PATH, "projector")]
    left = room.turns(jobs, range(9), kept)
    assert [(name, list(seeds)) for _, name, seeds in left] == [
        ("projector", [0, 1, 2, 3]), (NAME, [4, 5, 6, 7]), ("projector", [4, 5, 6, 7]), (NAME, [8]), ("projector", [8]),
    ]  # fmt: skip
    record.write_text("[]")
    with pytest.raises(CourseError, match="no record of right answers"):
        room.kept_in(record)


@pytest.mark.parametrize(
    ("one", "wanted", "code"),
    [
        (Judged("x", "", 4, 3, 9), 4, 0),
        (Judged("x", "", 3, 3, 9), 4, 1),
        (Judged("x", "", 4, 3, 9, ["the solution, seed 1: y"]), 4, 1),
        (Judged("x", "", 4, 3, 9, [], {"a": 100}, {"a": 3}), 4, 1),
        (Judged("x", "", 4, 3, 9, [], {"a": 1000}, {"a": 3}), 4, 0),
    ],
)
def test_only_all_seeds_without_a_refusal_and_without_hanging_promises_are_a_success(one, wanted, code, capsys):
    assert room.format_report([one], [one], wanted) == code
    assert ("hangs on the last digits: 'a': 3%" in capsys.readouterr().out) is (one.cases == {"a": 100})


def test_the_command_keeps_a_record_and_goes_on_with_it(tmp_path):
    record = tmp_path / "record.json"
    command = ["01", "--exercise", NAME, "--workers", "1", "--record", str(record)]
    assert room.main([*command, "--seeds", "1"]) == 0
    assert room.main([*command, "--seeds", "2"]) == 0
    found = json.loads(record.read_text())
    assert found["exercises"][0]["seeds"] == 2 and found["refused"] == 0
    assert found["judgements"] == 2 * (len(right_by_name(read_source(PATH), NAME)) + len(WAYS))
    assert room.main([*command, "--seeds", "9", "--minutes", "0"]) == 1
    assert room.main(["01", "--exercise", "nothing"]) == 2


def test_every_declared_check_is_among_the_jobs():
    assert {"attention", "rope", "london"} <= {name for _, name in jobs_of(None, None)}


@pytest.mark.parametrize("way", room.DRAWN)
def test_ways_whose_draws_follow_from_the_numbers_are_ways_of_the_course(way):
    assert callable(load(way))
