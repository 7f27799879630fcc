"""The runner that holds checks to wrong and right answers: it reads what is on file, isolates, and can fail."""

from __future__ import annotations

import json
import shutil
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace

import pytest

from autograder.judge.execute import execute
from autograder.quality import generated, misconceptions, right_answers, seed_sweep
from autograder.quality.cells import definitions
from autograder.quality.filed import Mutant, read_mutant
from autograder.quality.misconceptions import Bench, Judgement, check_of, counts, judge_exercise
from autograder.records import Job
from autograder.source.percent import read_source
from course_utils.errors import CourseError
from tests.paths import MISCONCEPTIONS, ROOT

SOURCE = ROOT / "solutions" / "07_knowledge.py"
sandboxed = pytest.mark.skipif(shutil.which("bwrap") is None, reason="needs bubblewrap")


@pytest.fixture(scope="module")
def public(tmp_path_factory):
    return misconceptions.public_folder(tmp_path_factory.mktemp("public"))


def on_file(exercise, name):
    return read_mutant(MISCONCEPTIONS / "07_knowledge" / exercise / f"{name}.py")


SMALL = """# %% [markdown]
# # Like london of 07, without torch: a kernel starts in a fifth of the time

# %%
import copy
from collections import Counter

# %% answer="london"
def london_baseline(train, dev):
    ### BEGIN SOLUTION
    town = Counter(train).most_common(1)[0][0]
    return town, dev.count(town) / len(dev)
    ### END SOLUTION

# %% check="london" points=1 minutes=5 difficulty=1
with check("london") as c:
    town, share = student.london_baseline(["Oslo", "Oslo", "Rome"], ["Rome", "Rome", "Oslo", "Kiel"])
    c.that(share <= 1, "the accuracy is a share between 0 and 1, not per cent")
    c.equal(town, "Oslo", "choose the town by the training answers: you counted in dev")
    c.close(share, 0.25, "divide by the number of questions")
"""
ANSWERS = {
    "counts_in_dev": ("choose the town by the training answers: you counted in dev", "town = Counter(dev).most_common(1)[0][0]"),
    "per_cent": ("not per cent", "town = Counter(train).most_common(1)[0][0]\n    return town, 100 * dev.count(town) / len(dev)"),
    "right_loop": ("", "town = None\n    for t in train:\n        town = t if train.count(t) > train.count(town) else town"),
    "right_max": ("", "town = max(set(train), key=train.count)"),
    "right_counter": ("", "town = Counter(train).most_common(1)[0][0]"),
}  # fmt: skip


@dataclass(frozen=True)
class Course:
    """A source with an exercise ``london``, and answers to it."""

    path: Path
    answers: dict[str, Mutant]


@pytest.fixture(scope="module", params=["small", pytest.param("07_knowledge", marks=pytest.mark.slow)])
def course(request, tmp_path_factory) -> Course:
    """The exercise in a notebook without torch, and as the course has it."""
    if request.param != "small":
        return Course(SOURCE, {name: on_file("london", name) for name in ANSWERS})
    path = tmp_path_factory.mktemp("small") / "97_small.py"
    path.write_text(SMALL)
    ending = "\n    return town, dev.count(town) / len(dev)\n"
    texts = {name: "def london_baseline(train, dev):\n    " + body + ending for name, (_, body) in ANSWERS.items()}
    return Course(path, {n: Mutant("london", n, texts[n], bool(hint), hint) for n, (hint, _) in ANSWERS.items()})


# -------------------------------------------------------------------------------------------------------- the files


def written(tmp_path, text):
    path = tmp_path / "london" / "some.py"
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    return path


def test_a_file_says_what_is_expected(tmp_path):
    text = "# expect: reject\n# hint: divide by: both\n# files: a.txt=b.txt c=d\n# Why: because.\ndef f():\n    pass\n"
    found = read_mutant(written(tmp_path, text))
    assert found == Mutant("london", "some", text, True, "divide by: both", {"a.txt": "b.txt", "c": "d"})
    assert not read_mutant(written(tmp_path, "# expect: accept\nx = 1\n")).wrong


@pytest.mark.parametrize(
    "text,words",
    [
        ("x = 1\n", "begin with"),
        ("# expect: reject\nx = 1\n", "begin with"),
        ("# expect: accept\n# hint: none needed\nx = 1\n", "begin with"),
        ("# expect: maybe\nx = 1\n", "begin with"),
        ("# expect: accept\ndef f(:\n", "not valid Python"),
        ("# expect: accept\n# files: a\nx = 1\n", "NAME=KEPT"),
        ("# expect: accept\n# keeps: one\nx = 1\n", "for wrong answers"),
    ],
)
def test_a_file_without_proper_header_is_refused(tmp_path, text, words):
    with pytest.raises(CourseError, match=words):
        read_mutant(written(tmp_path, text))


def test_all_files_of_the_course_can_be_read():
    for folder in sorted(path for path in MISCONCEPTIONS.iterdir() if path.is_dir()):
        assert misconceptions.read_mutants(folder.name), folder


def test_demonstrations_are_left_out_and_definitions_stay():
    text = (
        "import torch\nfrom math import pi as p\nN = 3\nnames: dict = {}\nmodel = make()\n"
        "torch.set_default_dtype(torch.float64)\ntorch.manual_seed(1)\ndef f(x):\n    return g(x)\nf(2)\nx = N\n"
        "names['a'] = 1\nmodel.size = 2\n"
    )
    kept = definitions(text).split("\n")
    assert kept == [
        *("import torch", "from math import pi as p", "N = 3", "names: dict = {}"),
        *("torch.set_default_dtype(torch.float64)", "def f(x):", "    return g(x)"),
    ]


def test_earlier_exercises_come_solved_and_the_exercise_itself_does_not():
    cells, _ = misconceptions.setup_cells(read_source(SOURCE), "pretrain")
    text = "\n".join(cells)
    assert "class CharCorruptionDataset" in text and "def pretrain(" not in text and "SOLUTION" not in text
    assert "start(" not in text.replace("import hand_in, save_answers, start", "")


def test_helpers_between_an_answer_and_its_check_come_after_the_answer(tmp_path):
    text = SOURCE.read_text(encoding="utf-8")
    (tmp_path / SOURCE.name).write_text(
        text.replace('# %% check="pretrain"', '# %%\nLATE = 3\n\n# %% check="pretrain"')
    )
    before, after = misconceptions.setup_cells(read_source(tmp_path / SOURCE.name), "pretrain")
    assert "LATE = 3" in after and "LATE = 3" not in before and after[-1] == "LATE = 3"


# ------------------------------------------------------------------------------------------------------- the verdicts


@sandboxed
def test_verdicts_are_those_of_the_judge(course, public, tmp_path):
    source = read_source(course.path)
    check = check_of(next(c for c in source.cells if (c.role, c.exercise) == ("check", "london")))
    both = [course.answers[name] for name in ("counts_in_dev", "right_loop")]
    outcomes = judge_exercise(course.path, both, public, None)
    for mutant, outcome in zip(both, outcomes, strict=True):
        texts = [*misconceptions.setup_cells(source, "london")[0], mutant.text]
        ids = [*(f"setup-{i}" for i in range(len(texts) - 1)), "answer-london"]
        cells = [{"cell_type": "code", "id": i, "source": t} for i, t in zip(ids, texts, strict=True)]
        cells.append({"cell_type": "code", "id": "check-london", "source": ""})
        job = Job("x", course.path.stem, {"cells": cells}, tmp_path, {"london": check}, public, tmp_path, seed=5)
        (verdict,) = execute(job).verdicts
        assert (verdict.points < verdict.max_points) == outcome.rejected == mutant.wrong
        assert mutant.hint in verdict.hint and outcome.named


@sandboxed
def test_one_mutant_leaves_nothing_to_the_next(course, public):
    right = course.answers["right_counter"]
    nothing = Mutant("london", "nothing", "helper = 1", True, "written")
    uses_helper = Mutant(
        "london", "helper", right.text.replace("return town", "helper\n    return town"), True, "NameError"
    )
    changed = Mutant("london", "changed", "Counter = None\n" + right.text, True, "TypeError")
    dies = Mutant("london", "dies", "import os\nos._exit(1)", True, "died")
    outcomes = judge_exercise(course.path, [right, nothing, changed, uses_helper, dies, right], public, None)
    assert [o.rejected for o in outcomes] == [False, True, True, True, True, False]
    assert "unsolved" in outcomes[1].said and "NameError" in outcomes[3].said


SETTING = """# %%
import torch

# %% answer="london"
def settings():
    ### BEGIN SOLUTION
    return torch.is_grad_enabled(), str(torch.get_default_dtype())
    ### END SOLUTION

# %% check="london" points=1 minutes=5 difficulty=1
with check("london") as c:
    kept, kind = student.settings()
    c.that(kept, "no gradients are kept")
    c.equal(kind, "torch.float32", "another number type")
"""


@sandboxed
def test_torchs_settings_are_put_back_between_mutants(public, tmp_path):
    path = tmp_path / "97_small.py"
    path.write_text(SETTING)
    text = "def settings():\n    return torch.is_grad_enabled(), str(torch.get_default_dtype())\n"
    right = Mutant("london", "right", text, False)
    gradients = Mutant("london", "gradients", f"{text}torch.set_grad_enabled(False)", True, "no gradients")
    kind = Mutant("london", "kind", f"{text}torch.set_default_dtype(torch.float64)", True, "another number type")
    outcomes = judge_exercise(path, [right, gradients, right, kind, right], public, None)
    assert all(one.good for one in outcomes), outcomes


@sandboxed
def test_a_check_that_accepts_the_wrong_or_misnames_it_is_found(course, public):
    right, wrong = course.answers["right_max"], course.answers["per_cent"]
    claims = [
        Mutant("london", "undetected", right.text, True, "whatever"),
        Mutant("london", "misnamed", wrong.text, True, "some other cause"),
        Mutant("london", "too_strict", wrong.text, False),
        wrong,
        right,
    ]
    outcomes = judge_exercise(course.path, claims, public, None)
    assert [o.good for o in outcomes] == [False, False, False, True, True]
    found = counts(outcomes)
    assert {k: found[k] for k in ("exercises", "mutants", "killed", "correct_variants", "accepted")} == {
        **{"exercises": 1, "mutants": 3, "killed": 2, "correct_variants": 2, "accepted": 1}
    }
    assert found["hint_top1"] == pytest.approx(1 / 3) and len(found["failures"]) == 3


@sandboxed
def test_a_setup_that_does_not_run_is_an_error_of_ours(course, public, tmp_path):
    path = tmp_path / course.path.name
    path.write_text(course.path.read_text().replace("import copy\n", "import copy_that_is_not_there\n", 1))
    with pytest.raises(CourseError, match=r"what comes before london does not run"):
        judge_exercise(path, [course.answers["right_max"]], public, None)
    with pytest.raises(CourseError, match="has no check nowhere"):
        Bench(read_source(course.path), "nowhere", public, None)


# ---------------------------------------------------------------------------------------------------- the command line


def outcome(good):
    return Judgement("07_knowledge", "london", "some", True, good, good, "failed: words")


@pytest.mark.parametrize("good", [True, False])
def test_exit_code_and_json(good, monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(misconceptions, "judged", lambda jobs, public, workers, progress: iter([outcome(good)]))
    code = misconceptions.main(["07_knowledge", "--exercise", "london", "--json", str(tmp_path / "out.json")])
    found = json.loads((tmp_path / "out.json").read_text())
    assert code == (0 if good else 1) and found["killed"] == int(good) and found["hint_top1"] == float(good)
    shown = capsys.readouterr().out
    assert "07_knowledge/london" in shown and ("✗" in shown) is not good
    misconceptions.main(["07_knowledge", "--json", "-"])
    assert json.loads(capsys.readouterr().out) == found


ASKING = {  # every command that takes a notebook and an exercise
    "mutants": lambda notebook, exercise: misconceptions.run(notebook, exercise=exercise),
    "mutants --generated": lambda notebook, exercise: misconceptions.main(
        ["--generated", *([notebook] if notebook else []), *(["--exercise", exercise] if exercise else [])]
    ),
    "seed-sweep": seed_sweep.exercises,
    "right-answers": right_answers.jobs_of,
}


@pytest.mark.parametrize("ask", ASKING.values(), ids=ASKING)
def test_an_unknown_notebook_or_exercise_is_a_sentence_with_those_that_there_are(ask):
    with pytest.raises(CourseError, match=r"99_none: there is no notebook of that number; there are 00, 01, .*, 08$"):
        ask("99_none", None)
    with pytest.raises(CourseError, match=r"heads: 03_positions has no such exercise with a check; it has .*\brope\b"):
        ask("03", "heads")
    with pytest.raises(
        CourseError, match=r"london_1: the course has no such exercise with a check; it has attention, .*london"
    ):
        ask(None, "london_1")
    with pytest.raises(CourseError, match="00_start has no exercise with a check"):
        ask("00", None)


def test_the_number_of_a_notebook_is_enough(monkeypatch):
    asked = []

    def judged(jobs, public, workers, progress):
        asked.extend((path.stem, mutants[0].exercise) for path, mutants in jobs)
        return iter([])

    monkeypatch.setattr(misconceptions, "judged", judged)
    for name in ("03", "03_positions"):
        misconceptions.run(name, exercise="rope", json=True)
        assert generated.jobs_of(name, "rope") == seed_sweep.exercises(name, "rope")
    assert asked == [("03_positions", "rope")] * 2


def test_artefacts_are_made_once_and_named_by_what_they_depend_on(monkeypatch, tmp_path):
    calls = []

    class Module:
        __file__ = str(ROOT / "README.md")

        @staticmethod
        def prepare(folder):
            calls.append(folder)
            (folder / "files").mkdir(parents=True)

    monkeypatch.setattr(misconceptions, "artefacts_of", lambda notebook, folder: Module)
    first, second = misconceptions.prepared("x", tmp_path), misconceptions.prepared("x", tmp_path)
    assert first == second and len(calls) == 1 and (first / "files").is_dir() and first.name.startswith("x-")
    monkeypatch.setattr(misconceptions, "artefacts_of", lambda notebook, folder: None)
    assert misconceptions.prepared("x", tmp_path) is None


def test_nothing_is_trained_for_a_check_that_opens_no_file(monkeypatch):
    monkeypatch.setattr(misconceptions, "prepared", lambda notebook, **_: Path(notebook))
    blocks = ROOT / "solutions" / "02_blocks.py"
    found = {name: misconceptions.needed(blocks, name) for name in ("translate", "residual_block")}
    assert found == {"translate": Path("02_blocks"), "residual_block": None}


EXERCISES = [  # those with most answers first
    f"{path.parent.name}-{path.name}"
    for path in sorted(MISCONCEPTIONS.glob("*/*/"), key=lambda path: (-len([*path.glob("*.py")]), path))
    if any(path.glob("*.py"))
]
QUICK = {  # exercises judged within seconds, of notebooks without trained files: what `make test` carries of them
    "01_attention": "averaging",
}


@sandboxed
@pytest.mark.parametrize("notebook", QUICK)
def test_an_exercise_of_a_notebook_rejects_what_it_must(notebook: str) -> None:
    found = misconceptions.run(notebook, json=True, exercise=QUICK[notebook], workers=1)
    assert found["failures"] == []
    assert found["mutants"] >= 7 and found["correct_variants"] >= 3


@sandboxed
@pytest.mark.slow
@pytest.mark.parametrize("exercise", EXERCISES)
def test_every_misconception_is_named_and_every_right_answer_accepted(exercise: str) -> None:
    notebook, name = exercise.split("-")
    found = misconceptions.run(notebook, json=True, exercise=name, workers=1)
    assert found["failures"] == []
    filed = [read_mutant(path) for path in (MISCONCEPTIONS / notebook / name).glob("*.py")]
    assert found["mutants"] == found["killed"] == sum(one.wrong for one in filed) > 0
    assert found["accepted"] == found["correct_variants"] == len(filed) - found["mutants"] > 0
    assert found["hint_top1"] == 1.0


@pytest.mark.parametrize(("status", "kept"), [("passed", True), ("failed", True), ("timeout", False), ("dead", False)])
def test_trials_are_drawn_anew_after_a_check_that_was_stopped(status: str, kept: bool, monkeypatch, tmp_path) -> None:
    bench = misconceptions.Bench.__new__(misconceptions.Bench)
    kernel = SimpleNamespace(alive=True, run_cell=lambda code: SimpleNamespace(status="ok"))
    source = SimpleNamespace(name="97_sample", path=tmp_path)
    check = SimpleNamespace(id="x")
    for name, value in {"kernel": kernel, "after": [], "files": tmp_path / "files", "artefacts": None, "source": source,
                        "check": check, "public": tmp_path, "shared": misconceptions.SharedTrials()}.items():  # fmt: skip
        setattr(bench, name, value)
    bench.files.mkdir()
    before = bench.shared
    verdict = SimpleNamespace(status=status, detail="")
    monkeypatch.setattr(misconceptions, "run_check", lambda *_, **__: (verdict, ""))
    assert bench.judge(Mutant("x", "one", "", True), 1) is verdict
    assert (bench.shared is before) is kept
