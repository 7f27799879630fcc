"""What a notebook will cost: predictions scale with the machine, are kept, and every notebook is measured."""

import json
import time
from dataclasses import replace
from functools import partial
from itertools import count

import pytest
import torch
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from autograder.source import rendering
from autograder.source.build import COSTS_MARKER, source_notebook
from autograder.source.percent import Source
from autograder.source.rendering import Run
from autograder.source.tables import costs_table
from benchmarks import costs as recording
from benchmarks.costs import counts, metered
from course_utils.config import PROFILES
from course_utils.engine.engine import pick_engine
from course_utils.errors import CourseError
from course_utils.notebook import costs
from course_utils.notebook.cost_table import measured
from course_utils.notebook.costs import TRAININGS, announce, calibrate, calibration, predict
from course_utils.notebook.forecast import preflight
from course_utils.notebook.session import Course
from tests.paths import ROOT
from tests.sources import course_sources

DATA = ROOT / "data"
TRAINED = {"pieces": {"gpt": 100.0}, "seconds": 50.0, "memory_mib": 900, "training_share": 0.8}
PLAIN = {"pieces": {"start": 20.0, "encoder": 60.0}, "seconds": 20.0, "memory_mib": 500}


@pytest.fixture
def data(tmp_path):
    (tmp_path / "measured").mkdir()
    (tmp_path / "measured" / "costs.json").write_text(
        json.dumps({"notebooks": {"07_knowledge": TRAINED, "01_attention": PLAIN}})
    )
    world = tmp_path / "world"
    world.mkdir()
    (world / "wiki.txt").write_text("Ada Lon comes from Setu.\n" * 80)
    (world / "birth_places_train.tsv").write_text("Where was Ada Lon born?\tSetu\n" * 40)
    return tmp_path


def course(data, tmp_path, notebook="01_attention"):
    return Course(notebook, data, tmp_path / "work" / notebook, PROFILES["laptop"], torch.device("cpu"))


def test_a_prediction_scales_with_the_machine(data):
    slow = predict("01_attention", data, {"start": 3.0, "encoder": 1.0}, PROFILES["laptop"])
    fast = predict("01_attention", data, {"start": 0.3, "encoder": 0.1}, PROFILES["laptop"])
    narrow = predict("01_attention", data, {"start": 0.3, "encoder": 0.5}, PROFILES["laptop"])
    assert slow.minutes == pytest.approx(2.0) and fast.minutes == pytest.approx(0.2) and slow.memory_mib == 500
    assert narrow.minutes == pytest.approx(0.6)
    assert str(slow) == "about 2.0 minutes and 500 MiB"
    with pytest.raises(CourseError, match="was not measured"):
        predict("09_more", data, {"start": 1.0}, PROFILES["laptop"])


def test_a_run_is_so_many_pieces_of_each_kind():
    """Cells that train are steps, all else are starts; what there is none of is left out."""
    beside = {"start": 0.5, "encoder": 0.02}
    assert counts(Run(20.0, 500, 12.0), ["start", "encoder"], beside) == {"start": 16.0, "encoder": 600.0}
    assert counts(Run(20.0, 500), ["start", "encoder"], beside) == {"start": 40.0}


def test_cells_that_train_are_told_from_imports_and_figures(tmp_path, monkeypatch):
    monkeypatch.setattr(rendering, "TRAINS", 0.4)
    cells = ["import time; time.sleep(0.6)", "time.sleep(0.5)", "x = 1", "time.sleep(0.5)", "time.sleep(0.1)"]
    notebook = new_notebook(cells=[new_markdown_cell("# A text"), *map(new_code_cell, cells)])
    source = Source(tmp_path / "97_sample.py", "97_sample", ())
    cost = rendering._run_cells(notebook, source, tmp_path, strict=False, cell_seconds=60)
    assert 1.0 <= cost.training < cost.seconds - 0.6


@pytest.mark.slow  # times pieces of trainings for ten seconds
def test_pieces_are_timed_beside_a_notebook():
    found = {}
    with metered(["start", "encoder"], found):
        time.sleep(0.5)
    assert set(found) == {"start", "encoder"} and all(0 < seconds < 20 for seconds in found.values())


def test_pieces_wait_until_a_notebook_that_takes_all_cores_is_done(monkeypatch):
    order = []
    monkeypatch.setattr(
        recording, "calibrate", lambda names, _: order.append("pieces") or {names[0]: float(len(order))}
    )
    monkeypatch.setattr(recording, "run", lambda *_: order.append("notebook") or Run(5.0, 3.0, 1.0))
    source = next(s for s in course_sources() if s.name == "07_knowledge")
    cost, around = recording.timed(source, ["gpt"], 0.0, None)
    assert order == ["pieces", "notebook", "pieces"]
    assert (cost.seconds, around) == (5.0, {"gpt": 2.0})  # the mean of 1 and 3


def test_another_profile_forecasts_its_own_trainings(data, monkeypatch):
    """The share that is no training scales; trainings are forecast from steps of that profile's model."""
    tiny = PROFILES["laptop"].model
    small = {
        name: replace(getattr(PROFILES["colab"], name), batch_size=8, epochs=None, steps=steps)
        for name, steps in (("pretrain", 60), ("scratch", 20), ("finetune", 10))
    }
    profile = replace(PROFILES["colab"], model=replace(tiny, n_embd=32, n_layer=1), **small)
    asked = {}

    def forecasts(profile, lengths, vocab_size, seconds):
        asked.update(lengths)
        return {part: costs.Cost(2.0, 3000.0) for part in lengths}

    monkeypatch.setattr(costs, "preflight", forecasts)
    told = predict("07_knowledge", data, {"gpt": 0.6}, profile)
    assert set(asked) == set(TRAININGS["07_knowledge"]) and len(asked["pretrain"]) == 80 and asked["pretrain"][0] == 26
    assert told.minutes == pytest.approx(1.0 * 0.2 + 3 * 2.0) and told.memory_mib == 3000
    ticks = count(step=0.01)  # a clock that counts: every step takes a hundredth of a second, however busy the machine
    monkeypatch.setattr(costs, "preflight", partial(preflight, clock=lambda: next(ticks)))
    really = predict("07_knowledge", data, {"gpt": 0.6}, profile, seconds=0.5)
    assert really.minutes == pytest.approx(0.2 + (60 + 20 + 10) * 0.01 / 60, rel=0.02) and really.memory_mib >= 900


def test_calibration_is_timed_and_leaves_random_numbers_alone():
    torch.manual_seed(4)
    expected = torch.rand(3)
    torch.manual_seed(4)
    found = calibrate(["start", "encoder", "gpt"], seconds=0.05)
    assert torch.rand(3).equal(expected)
    assert set(found) == {"start", "encoder", "gpt"} and all(0 < s < 20 for s in found.values())
    assert calibrate(["start"], seconds=0.0)["start"] > 0
    with pytest.raises(CourseError, match="no piece of work 'gnu'"):
        calibrate(["gnu"])


def test_models_of_notebooks_that_use_one_thread_are_timed_on_one(monkeypatch):
    asked = []
    monkeypatch.setattr(torch, "get_num_threads", lambda: 7)
    monkeypatch.setattr(torch, "set_num_threads", asked.append)
    calibrate(["encoder"], seconds=0.0)
    assert asked and asked == [1, 7] * (len(asked) // 2)


def test_a_notebook_goes_on_where_no_python_can_be_started(data, tmp_path, monkeypatch, capsys):
    here = course(data, tmp_path)
    here.work.mkdir(parents=True)
    monkeypatch.setattr("sys.executable", str(tmp_path / "no-python"))
    assert announce(here) is None
    assert "fresh Python could not be started" in capsys.readouterr().out


def test_a_calibration_is_kept_for_this_machine_alone(data, tmp_path, monkeypatch):
    here = course(data, tmp_path)
    here.work.mkdir(parents=True)
    calls = []
    monkeypatch.setattr(
        costs, "calibrate", lambda names, seconds: calls.append(list(names)) or dict.fromkeys(names, 0.5)
    )
    assert calibration(here, ["start"]) == {"start": 0.5} == calibration(here, ["start"])
    assert calibration(here, ["start", "gpt"]) == {"start": 0.5, "gpt": 0.5} and calls == [["start"], ["gpt"]]
    monkeypatch.setenv("COURSE_DTYPE", "bf16" if pick_engine("cpu").dtype == torch.float32 else "fp32")
    calibration(here, ["gpt"])  # a step in another number format takes another time
    assert calls.pop() == ["gpt"]
    monkeypatch.delenv("COURSE_DTYPE")
    calibration(here, ["start", "gpt"])
    assert calls.pop() == ["start", "gpt"]
    path = here.work.parent / "calibration.json"
    path.write_text(path.read_text().replace(torch.__version__, "0.1"))
    calibration(here, ["gpt"])
    path.write_text("{")
    calibration(here, ["gpt"])
    assert calls[2:] == [["gpt"], ["gpt"]]


def test_it_is_announced_to_students_and_not_while_grading(data, tmp_path, monkeypatch, capsys):
    here = course(data, tmp_path)
    here.work.mkdir(parents=True)
    monkeypatch.setattr(costs, "calibrate", lambda names, seconds: dict.fromkeys(names, 0.75))
    assert announce(here).minutes == pytest.approx(1.0)
    assert "about 60 seconds and 500 MiB" in capsys.readouterr().out
    assert announce(replace(here, notebook="09_more")) is None
    assert "has not been measured yet" in capsys.readouterr().out
    monkeypatch.setenv("COURSE_GRADING", "1")
    assert announce(here) is None and capsys.readouterr().out == ""


@pytest.mark.parametrize("source", course_sources(), ids=lambda source: source.name)
def test_every_notebook_states_its_cost(source):
    if source.name == "00_start":
        return
    cells = source_notebook(source).cells
    assert sum(COSTS_MARKER in cell.text for cell in source.cells) == 1
    assert any(costs_table(source) in cell.source for cell in cells)
    assert any("announce(course)" in cell.source for cell in cells if cell.cell_type == "code")
    entry = measured(DATA)["notebooks"][source.name]
    assert entry["seconds"] <= 300 and ("training_share" in entry) == (source.name in TRAININGS)


def test_nine_notebooks_take_a_quarter_of_an_hour():
    """What the issue of this course asked for, as last measured."""
    entries = measured(DATA)["notebooks"]
    assert len(entries) == 8 and sum(e["seconds"] for e in entries.values()) <= 900
