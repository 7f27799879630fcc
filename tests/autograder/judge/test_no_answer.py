"""No points without an answer: nothing that a student's names or replies say decides, only values that need the answer.

Every exercise is met with four attacks. *Replay*: the replies of the honest solution at one seed are played back at another.
*Empty*: the cell is as it was handed out, and every name that can be deleted is deleted. *Pleasing*: each name that the
cell should define is an object that agrees with everything. *Forged*: wrong answers on file, with every course tool rebound.
The files handed in are in each case those of a right solution, as if a classmate had given them.
"""

from __future__ import annotations

import ast
import shutil
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from autograder.judge.files import HandedIn, Private
from autograder.judge.run_check import run_check
from autograder.quality import misconceptions
from autograder.quality.filed import Mutant, read_mutants
from autograder.quality.misconceptions import RESTORE, Bench
from autograder.records import Verdict
from autograder.sandbox.kernel import Kernel, KernelStopped
from autograder.source.build import student_notebook
from autograder.source.percent import Cell, Source, read_source, source_paths, strip_markers
from course_utils.checks.selfcheck import StudentError
from tests.paths import ROOT

pytestmark = pytest.mark.skipif(shutil.which("bwrap") is None, reason="needs bubblewrap")

SOURCES = {path.stem: read_source(path) for path in source_paths(ROOT / "solutions")}
EXERCISES = [(name, cell.exercise) for name, source in SOURCES.items() for cell in source.cells if cell.role == "check"]
QUICK = [("01_attention", "averaging"), ("02_blocks", "multi_head_attention"), ("06_pretraining", "word_sense")]
SLOW = [pytest.param(p, id="-".join(p), marks=() if p in QUICK else pytest.mark.slow) for p in EXERCISES]
CONSTANT: dict[str, str] = {}  # exercise -> why its replies are the same at every seed

DELETED = """
for name in [name for name in globals() if not name.startswith("_") and name not in ("In", "Out", "get_ipython", "name")]:
    del globals()[name]
"""
PLEASING = """
class Pleasing:
    def __init__(self, *_, **__): pass
    def __call__(self, *_, **__): return self
    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return self
    def __getitem__(self, _): return self
    def __len__(self): return 1
    def __float__(self): return 1.0
    def __bool__(self): return True
    def __eq__(self, _): return True
    __hash__ = object.__hash__
"""
FORGED = """
import sys
for _module in [module for name, module in sys.modules.items() if name.startswith("course_utils")]:
    for _name, _value in list(vars(_module).items()):
        if isinstance(getattr(_value, "__fetches__", None), str):
            setattr(_module, _name, lambda *_, **__: True)
            globals()[_name] = lambda *_, **__: True
for _name in ("classified", "learns_side", "leaves_alone", "one_epoch", "tries_elmo", "with_weights", "forward_backward"):
    globals()[_name] = lambda *_, **__: True
"""


class Taped(Kernel):
    """A kernel that keeps its replies, and then plays them back in the same order whatever is asked."""

    tape: list[Any] | None = None
    playing = False

    def ask(self, verb: str, *rest: Any, **options: Any) -> Any:
        if self.tape is None or verb in ("forget", "release"):
            return super().ask(verb, *rest, **options)
        if self.playing:
            return self._played()
        try:
            reply = super().ask(verb, *rest, **options)
        except StudentError as error:
            self.tape.append(error)
            raise
        self.tape.append(reply)
        return reply

    def _played(self) -> Any:
        assert self.tape is not None
        if not self.tape:
            raise KernelStopped("dead", "the tape has come to its end")
        reply = self.tape.pop(0)
        if isinstance(reply, StudentError):
            raise reply
        return reply


@pytest.fixture(scope="module")
def public(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return misconceptions.public_folder(tmp_path_factory.mktemp("public"))


def answer_cell(source: Source, exercise: str) -> Cell | None:
    return next((cell for cell in source.cells if (cell.role, cell.exercise) == ("answer", exercise)), None)


def stub(source: Source, exercise: str) -> str:
    """The answer cell as students receive it."""
    return next((cell.source for cell in student_notebook(source).cells if cell.id == f"answer-{exercise}"), "")


def asked_names(source: Source, exercise: str) -> list[str]:
    cell = answer_cell(source, exercise)
    body = ast.parse(cell.text).body if cell else []
    return [node.name for node in body if isinstance(node, ast.FunctionDef | ast.ClassDef)]


class Room:
    """One exercise's kernel: everything before it solved, a right solution's files handed in."""

    def __init__(self, notebook: str, exercise: str, public: Path, files: bool) -> None:
        self.source, self.exercise = SOURCES[notebook], exercise
        artefacts = misconceptions.prepared(notebook) if files else None
        self.bench = Bench(self.source, exercise, public, artefacts)
        self.bench.kernel = Taped(self.bench.kernel.paths, self.bench.kernel.limits)
        self.attacked = False  # more than the kernel's names may be changed since it was started

    def set_up(self, *cells: str) -> None:
        """The names before the exercise, the files of a right solution, then these cells and those behind them."""
        self.bench.hand_in(Mutant(self.exercise, "attack", "", True))
        if self.bench.artefacts is None:
            (self.bench.files / "private").mkdir()
            (self.bench.files / "private" / "birth_test.tsv").write_text("Where was A B born?\tOslo\n")
        if not self.bench.kernel.alive:
            self.bench.start()
        assert self.bench.kernel.run_cell(RESTORE).status == "ok"
        for code in (*cells, *self.bench.after):
            self.bench.kernel.run_cell(code)

    def verdict(self, *cells: str) -> Verdict:
        """The verdict when these cells were run; the last is the answer, searched for what the exercise forbids."""
        self.set_up(*cells)
        self.attacked = True
        return self.run(1, cells[-1])

    def honest(self) -> str:
        cell = answer_cell(self.source, self.exercise)
        return strip_markers(cell.text) if cell else ""

    def replayed(self, first: int, second: int) -> tuple[Verdict, Verdict]:
        """The honest verdict at one seed, and that of its tape at another, in a kernel that no attack has changed."""
        kernel = self.bench.kernel
        assert isinstance(kernel, Taped)
        if self.attacked:
            kernel.close()
        self.set_up(self.honest())
        kernel.tape = []
        try:
            right = self.run(first)
            kernel.playing = True
            return right, self.run(second)
        finally:
            kernel.tape, kernel.playing = None, False

    def run(self, seed: int, answer: str | None = None) -> Verdict:
        handed = HandedIn(self.bench.files, self.source.name)
        private = Private((self.bench.artefacts or self.bench.files) / "private")
        return run_check(
            self.bench.check, self.bench.kernel, self.honest() if answer is None else answer, handed, private, seed
        )[0]


@pytest.fixture(scope="module")
def room(request: pytest.FixtureRequest, public: Path) -> Iterator[Room]:
    """One exercise's kernel, for the three attacks: those that change more than names come last, as they stand here."""
    room = Room(*request.param, public, files=request.param not in QUICK)
    yield room
    room.bench.close()


every_exercise = pytest.mark.parametrize("room", SLOW, indirect=True, scope="module")


@every_exercise
def test_a_tape_of_right_replies_does_not_pass_at_another_seed(room: Room) -> None:
    right, played = room.replayed(11, 12)
    assert right.points == right.max_points, right.hint
    if room.exercise in CONSTANT:
        assert played.points == played.max_points, "it is no exception: take it off the list"
    else:
        assert played.points == 0, played


@every_exercise
def test_an_empty_cell_earns_nothing(room: Room) -> None:
    text = stub(room.source, room.exercise)
    pleasing = "\n".join(f"{name} = Pleasing()" for name in asked_names(room.source, room.exercise))
    for attack in (
        [text],
        [text, DELETED],
        [DELETED],
        [PLEASING, pleasing],
        [FORGED, text],
        [FORGED, PLEASING, pleasing],
    ):
        assert room.verdict(*attack).points == 0, attack
    assert room.bench.kernel.run_cell(FORGED).status == "ok", "the control: the attack takes place"


@every_exercise
def test_a_wrong_answer_earns_nothing_among_forged_tools(room: Room) -> None:
    filed = [m for m in read_mutants(room.source.name).get(room.exercise, []) if m.wrong and not m.files]
    chosen = sorted(filed, key=lambda m: zlib.crc32(m.name.encode()))[:3]
    for mutant in chosen:
        verdict = room.verdict(FORGED, mutant.text)
        assert verdict.points < verdict.max_points, mutant.name


BORROWED = """
del CharCorruptionDataset
class GPT:
    def __init__(self, *_): self.n = 0
    def state_dict(self): return {"w": torch.full((2,), float(self.n))}
    def n_params(self): return 1.0
class Steps:
    def __init__(self, n): self.steps, self.loss, self.accuracy = n, [1.0] * n, [1.0]
def pretrain(model, documents, vocab, config, **options):
    return Steps(config.steps)
def finetune_pretrained(pretrained, questions, vocab, profile, **options):
    model, config = GPT(), profile.finetune
    return model, Steps(config.epochs * -(-len(questions) // config.batch_size))
accuracies = {}
"""


@pytest.mark.parametrize("exercise", [pytest.param("pretrain", marks=pytest.mark.slow), "finetune"])
def test_a_classmates_files_and_fake_classes_earn_nothing_in_07(exercise: str, public: Path) -> None:
    """The attack that earned 4 of 13 points; without the files the check would stop at code all the same."""
    room = Room("07_knowledge", exercise, public, files=False)
    try:
        attack, honest = room.verdict(BORROWED), room.verdict(room.honest())
    finally:
        room.bench.close()
    assert attack.points == 0 and "missing" not in attack.hint
    assert "missing" in honest.hint, "the control: a right answer comes as far as the files"


EMPTY_CLASSIFIER = """
class PairClassifier: pass
def classified(make, known, ids, segments):
    torch.manual_seed(0)
    logits = torch.randn(len(ids), 2)
    return {"logits": logits, "elsewhere": logits, "at_cls": logits + 1, "segments": segments, "owned": True, "trained": True}
def learns_side(make, seed): return 1.0
def verdict(*arguments): return classified(None, None, *arguments[3:5])
import sys
for module in [m for n, m in sys.modules.items() if n.startswith("course_utils.lessons")]:
    for name in ("classified", "learns_side", "verdict"):
        setattr(module, name, globals()[name])
"""


def test_an_empty_classifier_earns_nothing_in_06(public: Path) -> None:
    room = Room("06_pretraining", "next_sentence", public, files=False)
    try:
        cut = room.honest().partition("class PairClassifier")[0]
        # the pairs are right and have their share; the control: the tape of next_sentence, a slow test
        verdict = room.verdict(cut + EMPTY_CLASSIFIER)
        assert verdict.points == pytest.approx(0.6 * verdict.max_points) and "next_sentence_pairs" in verdict.detail
    finally:
        room.bench.close()
