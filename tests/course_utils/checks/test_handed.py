"""Promises about handed-in files: in the notebook, in the build, in the judge."""

from __future__ import annotations

import dataclasses

import pytest
import safetensors.torch
import torch

from course_utils.checks import selfcheck
from course_utils.checks.answers import answer_key
from course_utils.checks.asking import Reference
from course_utils.checks.casefile import Entry, Mistake, pack
from course_utils.checks.fingerprint import fingerprint
from course_utils.checks.handed import handed_in
from course_utils.checks.promised import answers_of, run
from course_utils.checks.promises import promise, promises
from course_utils.checks.student import Student
from course_utils.errors import CourseError

STUDENT = Student(dict)


def declared(faults, files=("m.safetensors",)):
    one = handed_in("the model is trained", "trained", files=files, faults=faults, made_by=("f",))
    return promises(reference={"f": len}, kept=[one], always=())


def in_notebook(files=("m.safetensors",)):
    (trial,) = declared(lambda d: "", files).trials(0, 0, small=True)
    pack(trial.ask), pack(trial.case.setup)  # it can stand in the course's file
    return trial.run(selfcheck.student).problem


def in_judge(faults, student=STUDENT):
    (trial,) = declared(faults).trials(0, 1)
    return trial.run(student).problem


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setattr(selfcheck.handin, "folder", tmp_path)
    monkeypatch.setattr("course_utils.checks.answers.definitions", lambda names, cells: "a = 1")
    return tmp_path


def write(folder, about):
    safetensors.torch.save_file({"w": torch.ones(2)}, folder / "m.safetensors", about)


def test_the_notebook_asks_for_a_whole_file_of_the_present_code(folder, monkeypatch):
    assert "is missing" in in_notebook()
    (folder / "m.safetensors").write_bytes(b"half")
    assert "not a complete safetensors file" in in_notebook()
    write(folder, {"corpus": f"c seed 6 answers {answer_key(['f'])}"})
    assert in_notebook() is None
    monkeypatch.setattr("course_utils.checks.answers.definitions", lambda names, cells: "a = 2")
    assert "made by other code" in in_notebook()
    write(folder, None)
    assert in_notebook() is None  # a file that says nothing is the judge's affair
    assert "t.json" in in_notebook(("t.json",)) and "p.txt" in in_notebook(("p.txt",))
    (folder / "t.json").write_text("{")
    assert "not valid JSON" in in_notebook(("t.json",))


def test_code_comes_first_and_a_missing_file_hides_no_hint(folder, monkeypatch):
    one = promise("f is the length", "length", [("ab",), ("abc",)])
    files = handed_in("the model is trained", "trained", files=("m.safetensors",), faults=lambda d: "")
    declared = promises(reference={"f": len}, kept=[files, one], always=())
    trials = tuple(trial for number in (0, 1) for trial in declared.trials(number, 0, small=True))
    entry = Entry("", tuple(declared.listed()), trials, ())

    def wrong(text):
        return 0

    names = {"f": wrong}
    at_build = answers_of(entry, Student(lambda: names))
    entry = dataclasses.replace(entry, mistakes=(Mistake("count the letters", tuple(map(fingerprint, at_build))),))
    monkeypatch.setattr(selfcheck.student, "_names", lambda: names)
    status, lines, _ = run("f", entry, selfcheck.student)
    assert status == "failed" and "0 of 2 promises" in lines[0] and "count the letters" in lines[1]
    names["f"] = len
    status, lines, _ = run("f", entry, selfcheck.student)
    assert status == "failed" and "1 of 2 promises" in lines[0] and "is missing" in "".join(lines)
    assert run("f", entry, selfcheck.student, files=False)[0] == "passed"
    write(folder, None)
    status, lines, _ = run("f", entry, selfcheck.student)
    assert status == "passed" and "1 of 2 promises" in lines[0], "what is in the file is not judged here"
    assert "m.safetensors: there and whole; what is in it is judged after the hand-in" in lines[1]


def test_files_are_asked_for_in_the_notebook_alone(folder):
    (trial,) = declared(lambda d: "").trials(0, 0, small=True)
    assert trial.run(STUDENT).kept and trial.run(Reference({})).kept


def test_the_judge_says_what_is_wrong_and_what_is_missing():
    def missing(d):
        raise CourseError("m.safetensors is missing")

    assert in_judge(lambda d: "") is None
    assert in_judge(lambda d: "it answers nothing") == "it answers nothing"
    assert in_judge(missing) == "m.safetensors is missing"
    assert in_judge(missing, Reference({})) is None  # the oracle hands nothing in


def test_without_hand_in_there_is_nothing_to_judge_but_other_names_must_exist():
    assert in_judge(lambda d: handin.weights("m")) is None  # noqa: F821 (as in the build)
    with pytest.raises(NameError):
        in_judge(lambda d: weights("m"))  # noqa: F821


def test_other_seeds_reach_the_faults():
    seen = [in_judge_number(seed) for seed in range(3)]
    assert len(set(seen)) == 3


def in_judge_number(seed):
    (trial,) = declared(lambda d: str(d.rng.random())).trials(0, seed)
    return trial.case.args[0]
