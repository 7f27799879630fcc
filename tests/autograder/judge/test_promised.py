"""Declared checks in the judge: fresh draws decide, hints come from the visible cases, and nothing missing passes."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch

from autograder.judge import promised
from autograder.quality.filed import Mutant
from autograder.quality.misconceptions import Bench, public_folder
from autograder.records import Verdict
from autograder.sandbox.kernel import Student
from autograder.source.percent import HIDDEN, python, read_source, without, wrapped
from autograder.source.visible import made_from, problems, stale, used
from course_utils.checks.agree import same
from course_utils.checks.asking import Ask
from course_utils.checks.casefile import Entry, find, folder_of
from course_utils.checks.draws import Case
from course_utils.checks.selfcheck import StudentError
from course_utils.checks.trials import Answer, Kept, Trial
from tests.paths import ROOT

SOURCE = read_source(ROOT / "solutions" / "01_attention.py")


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    if shutil.which("bwrap") is None:
        pytest.skip("needs bubblewrap")
    made = Bench(SOURCE, "averaging", public_folder(tmp_path_factory.mktemp("public")), None)
    yield made
    made.close()


def verdict(bench: Bench, body: str, seed: int = 3) -> Verdict:
    return bench.judge(Mutant("averaging", "m", f"def averaging(K, a, b, beta):\n    {body}\n", wrong=True), seed)


RIGHT = "return beta * (K[a] + K[b]), 1 / (2 + (len(K) - 2) * math.exp(-beta))"


def test_right_passes_with_every_seed(bench: Bench) -> None:
    assert all(verdict(bench, RIGHT, seed).status == "passed" for seed in range(5))


def test_a_table_of_the_visible_cases_does_not_pass(bench: Bench) -> None:
    entry = find(ROOT / "data", "averaging", "01_attention")
    assert entry is not None
    sizes = {tuple(trial.case.args[0].shape) for trial in entry.trials}
    found = verdict(bench, f"assert tuple(K.shape) in {sizes!r}\n    {RIGHT}")
    assert found.points == 0 and found.status == "error"


def test_an_argument_changed_in_place_is_seen_whatever_copies_are_patched_to_be(bench: Bench) -> None:
    patched = "import copy; copy.deepcopy = copy.copy = lambda x, *_: x; torch.Tensor.clone = lambda x, **_: x\n"
    found = verdict(
        bench, f"{patched}    q = beta * (K[a] + K[b]); K[a] += 1; return q, 1 / (2 + (len(K) - 2) * math.exp(-beta))"
    )
    bench.kernel.close()
    assert found.points == 0 and "leaves its arguments" in found.hint


def test_a_mistake_nobody_filed_is_told_the_promise(bench: Bench) -> None:
    found = verdict(bench, "return beta * (K[a] + K[b]), 1 / (2 + (len(K) - 2) * math.exp(-beta)) ** 1.01")
    assert found.status == "failed" and "the weight is exact" in found.hint


def test_an_exception_that_comes_everywhere_blames_no_single_promise(bench: Bench) -> None:
    found = verdict(bench, "return beta * (K[a] + K[len(K)]), 0.5")
    assert found.status == "error" and "IndexError in line 2, for several promises" in found.hint
    assert "promised is" not in found.hint


def test_nothing_more_is_asked_of_a_part_that_is_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of promises that hang on a part, on the other one, on both, on the first again: the last is not drawn."""
    drawn: list[int] = []

    class Declared:
        def trials(self, number: int, seed: int) -> list[Trial]:
            drawn.append(number)
            return []

    kept = (Kept("one", "a"), Kept("two", "b"), Kept("all"), Kept("one more", "a"))
    entry = Entry("made from", kept, (), (), shares={"a": 0.4, "b": 0.6})
    trial = Trial(0, Case((1,)), Ask("call"), same(), 1)
    monkeypatch.setattr(promised, "answers_of", lambda *_, **__: [Answer(trial, 2, "it differs")])
    outcome, _ = promised.judge(Declared(), entry, None, 1, 1)
    assert drawn == [1, 2] and outcome.fraction == 0.6


def test_a_rule_for_all_that_is_asked_costs_the_part_that_breaks_it_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its trials of the part that is lost are not asked again, those of the other one are."""
    asked: list[str] = []

    class Breaking(Trial):
        def run(self, student: Any) -> Answer:
            asked.append(self.part)
            return Answer(self, problem="it differs" if self.part == "a" else None)

    class Declared:
        def trials(self, number: int, seed: int) -> list[Trial]:
            return [Breaking(2, Case((1,)), Ask("call"), same(), 1, (), part) for part in "aabb"] if number == 2 else []

    entry = Entry("made from", (Kept("one", "a"), Kept("two", "b"), Kept("rule")), (), (), shares={"a": 0.4, "b": 0.6})
    whole = Trial(1, Case((1,)), Ask("call"), same(), 1)
    monkeypatch.setattr(promised, "answers_of", lambda *_, **__: [Answer(whole, 1)])
    outcome, _ = promised.judge(Declared(), entry, None, 1, 1)
    assert asked == ["a", "b", "b"] and outcome.parts == {"b": 0.6} and outcome.hint.startswith("rule")


def test_no_visible_cases_no_points(bench: Bench, tmp_path: Path) -> None:
    path = folder_of(bench.public / "data") / "01_attention.json"
    path.rename(tmp_path / "aside")
    try:
        with pytest.raises(Exception, match="averaging"):
            verdict(bench, RIGHT)
    finally:
        (tmp_path / "aside").rename(path)


def test_what_is_kept_stays_in_the_kernel_and_comes_back(bench: Bench) -> None:
    verdict(bench, RIGHT)
    student = Student(bench.kernel)
    kept = student.keep(torch.zeros(2))
    assert "object of the student" in repr(kept) and torch.equal(student.fetch(kept), torch.zeros(2))
    tool = student.tool("course_utils.checks.fetch.laid_out")
    for how in ("transposed", "strided", "shifted"):
        held = student.hold(tool, torch.arange(6.0).reshape(2, 3), how)
        assert torch.equal(student.fetch(held), torch.arange(6.0).reshape(2, 3))
        assert how == "shifted" or not held.is_contiguous()
    with pytest.raises(StudentError):
        student.hold(tool, "no tensor", "strided")


def test_a_declaration_becomes_one_line_and_a_function_that_nobody_calls() -> None:
    text = wrapped("from course_utils.checks.promises import promises\n\n\npromises(\n    kept=[],\n)\n", "x")
    assert without(text, HIDDEN).strip() == 'check("x")'
    assert python(text) is not None and "    return promises(" in text
    assert wrapped("with check('x') as c:\n    pass\n", "x") == "with check('x') as c:\n    pass\n"


def test_visible_cases_are_stale_when_a_wrong_answer_changes(tmp_path: Path) -> None:
    for part in ("solutions/01_attention.py", "solutions/reference/by_hand.py", "data/promises/01_attention.json"):
        (tmp_path / part).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / part, tmp_path / part)
    filed = "tests/misconceptions/01_attention"
    shutil.copytree(ROOT / filed, tmp_path / filed)
    source = read_source(tmp_path / "solutions" / "01_attention.py")
    assert stale(source, tmp_path / "data") == []
    check = next(cell.text for cell in source.cells if (cell.role, cell.exercise) == ("check", "projector"))
    names = {path.name for path in used(ROOT, check + "\nview='course_utils.lessons.blocks.spoken'")}
    assert {"promises.py", "fingerprint.py", "blocks.py"} <= names and "pretraining.py" not in names
    before, reference = made_from(source, "averaging"), tmp_path / "solutions" / "reference" / "by_hand.py"
    text = reference.read_text()
    reference.write_text(text.replace('"""', '"""Another text. ', 1))
    assert made_from(source, "averaging") == before, "no case depends on a docstring"
    reference.write_text(text + "\nMORE = 1\n")
    assert made_from(source, "averaging") != before and "averaging" in stale(source, tmp_path / "data")
    reference.write_text(text)
    (tmp_path / filed / "averaging" / "difference.py").write_text("# expect: reject\n# hint: other words\n")
    assert made_from(source, "averaging") != before and stale(source, tmp_path / "data") == ["averaging"]
    assert "averaging" in next(problems([source], tmp_path / "data"))


@pytest.mark.parametrize(
    ("notebook", "exercise", "module"),
    [
        ("04_counting", "count_gpt", "course_utils/model.py"),
        ("04_counting", "flops", "course_utils/attention.py"),
        ("07_knowledge", "trust", "solutions/reference/span_corruption.py"),
        ("08_other_attentions", "costs", "course_utils/config.py"),
        ("02_blocks", "translate", "course_utils/lessons/translator.py"),
        ("01_attention", "copying", "course_utils/checks/agree.py"),
    ],
)
def test_visible_cases_are_made_from_what_their_modules_import(notebook: str, exercise: str, module: str) -> None:
    source = read_source(ROOT / "solutions" / f"{notebook}.py")
    check = next(cell.text for cell in source.cells if (cell.role, cell.exercise) == ("check", exercise))
    assert ROOT / module in used(ROOT, check)


def test_modules_that_import_each_other_are_each_named_once(tmp_path: Path) -> None:
    folder = tmp_path / "solutions" / "reference"
    folder.mkdir(parents=True)
    (folder / "one.py").write_text("from solutions.reference import two\n")
    (folder / "two.py").write_text(
        "from solutions.reference.one import thing\nfrom course_utils.vocab import Vocabulary\n"
    )
    found = [path.name for path in used(tmp_path, "from solutions.reference import one\n")]
    assert [found.count(name) for name in ("one.py", "two.py", "vocab.py", "agree.py")] == [1, 1, 1, 1]
