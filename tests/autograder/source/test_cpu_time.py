"""What an exercise's cells cost: CPU time by the kernel's clock, and which cells are an exercise's."""

import json

import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from autograder.source import rendering
from autograder.source.build import source_notebook
from autograder.source.cpu_time import cpu_by_exercise, exercise_of_cells
from autograder.source.percent import Source
from autograder.source.tables import exercise_map, spoken_cpu
from benchmarks import costs as recording
from tests.paths import ROOT
from tests.sources import course_sources

BUSY = "import time\nend = time.process_time() + {0}\nwhile time.process_time() < end: pass"
CHILD = "import subprocess, sys; subprocess.run([sys.executable, '-c', {0!r}], check=True)"


def answer(name, code="x = 1"):
    return new_code_cell(code, metadata={"course": {"exercise": name, "role": "answer"}})


def test_work_counts_waiting_does_not_and_children_do(tmp_path):
    cells = [
        new_code_cell("import time"),
        new_markdown_cell("## 1 · Work"),
        answer("work", BUSY.format(0.6)),
        new_markdown_cell("## 2 · Waiting"),
        answer("wait", "time.sleep(1.2)"),
        new_markdown_cell("## 3 · A child"),
        answer("child", CHILD.format(BUSY.format(0.6))),
    ]
    source = Source(tmp_path / "97_sample.py", "97_sample", ())
    cost = rendering._run_cells(new_notebook(cells=cells), source, tmp_path, strict=False, cell_seconds=60)
    assert list(cost.cpu) == ["work", "wait", "child"]  # the clock ticks every 0.01 s
    assert 0.58 <= cost.cpu["work"] < 1.5 and cost.cpu["wait"] < 0.5 and 0.58 <= cost.cpu["child"] < 2.0


def test_a_section_belongs_to_its_exercises():
    """Before the first answer to the first, then to the last answer; without one to the exercise before, at the end to none."""
    text = [
        (new_code_cell("import torch"), ""),
        (new_markdown_cell("Hints.\n\n## 1 · One\n\nWords."), "one"),
        (new_code_cell("figure()"), "one"),
        (answer("one"), "one"),
        (new_code_cell("a = 1"), "one"),
        (answer("two"), "two"),
        (new_markdown_cell("### Still in section 1"), "two"),
        (new_markdown_cell("## 2 · A training"), "two"),
        (new_code_cell("train()"), "two"),
        (new_markdown_cell("## 3 · Three"), "three"),
        (answer("three"), "three"),
        (new_markdown_cell("## Hand in"), ""),
        (new_code_cell("hand_in()"), ""),
    ]
    cells = [cell for cell, _ in text]
    assert exercise_of_cells(cells) == [name for _, name in text]
    spent = [1.0, 0, 2.0, 4.0, 8.0, 16.0, 0, 0, 32.0, 0, 64.0, 0, 128.0]
    assert cpu_by_exercise(cells, spent) == {"one": 14.0, "two": 48.0, "three": 64.0}


def test_every_exercise_that_runs_tells_its_cpu_time():
    record = json.loads((ROOT / "data" / "measured" / "costs.json").read_text())["notebooks"]
    for source in course_sources():
        names = [cell.exercise for cell in source.graded() if cell.role != "written"]
        if names:
            assert set(record[source.name]["exercises"]) == set(names), (
                f"python -m benchmarks.costs --exercises {source.name}"
            )
            assert set(exercise_of_cells(source_notebook(source).cells)) == {"", *names}
            assert exercise_map(source).count("| – |") == len(source.graded()) - len(names)


@pytest.fixture
def record(monkeypatch, tmp_path):
    """A record of two notebooks made on another machine, for all of them once, as older files have it."""
    path = tmp_path / "measured" / "costs.json"
    path.parent.mkdir()
    entries = {name: {"pieces": {"start": 3.0}, "seconds": 9.0, "exercises": {"generate": 1.0}} for name in NOTEBOOKS}
    path.write_text(
        json.dumps({"machine": {"device": "old", "threads": 8, "date": "2026-01-01"}, "notebooks": entries})
    )
    monkeypatch.setattr(recording, "DATA", tmp_path)
    monkeypatch.setattr(recording, "calibrate", lambda names, _: dict.fromkeys(names, 1.0))
    monkeypatch.setattr(recording, "machine", lambda _: {"device": "new", "threads": 2, "date": "2027-01-01"})
    monkeypatch.setattr(recording, "run", lambda *_: rendering.Run(9.0, 9.0, 9.0, {"generate": 4.26}))
    return path


NOTEBOOKS = ("05_transfer", "06_pretraining")


def test_the_cpu_time_is_renewed_alone_and_all_else_keeps_its_machine_and_date(record):
    before = json.loads(record.read_text())
    old = {name: entry | {"machine": before["machine"]} for name, entry in before["notebooks"].items()}
    for _ in range(2):  # the second time from a file of the present form
        assert recording.main(["--exercises", "05_transfer"]) == 0
        found = json.loads(record.read_text())
        assert found["notebooks"]["06_pretraining"] == old["06_pretraining"] and "machine" not in found
        renewed = {
            "exercises": {"generate": 4.3},
            "exercises_machine": {"device": "new", "threads": 2, "date": "2027-01-01"},
        }
        assert found["notebooks"]["05_transfer"] == old["05_transfer"] | renewed


def test_a_notebook_that_is_run_has_the_machine_of_that_run(record, monkeypatch):
    monkeypatch.setattr(recording, "timed", lambda source, names, *_: (recording.run(), dict.fromkeys(names, 1.0)))
    assert recording.main(["--exercises", "06_pretraining"]) == 0
    assert recording.main(["06_pretraining"]) == 0
    found = json.loads(record.read_text())["notebooks"]
    assert found["05_transfer"]["machine"]["device"] == "old"
    assert found["06_pretraining"]["machine"]["device"] == "new" and "exercises_machine" not in found["06_pretraining"]


def test_a_notebook_without_a_record_is_a_sentence(record, capsys):
    assert recording.main(["--exercises", "01_attention"]) == 2
    assert "01_attention was not measured yet; run python -m benchmarks.costs 01_attention" in capsys.readouterr().err


def test_cpu_times_are_short_words():
    assert [spoken_cpu(s) for s in (0.2, 1.0, 44.6, 119.0, 126.0)] == ["< 1 s", "1 s", "45 s", "119 s", "2.1 min"]
