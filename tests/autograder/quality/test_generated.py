"""Mistakes made by rule: valid Python, none equal to the answer, at least half of the domain; and they are judged."""

from __future__ import annotations

import ast
import json
from pathlib import Path

import pytest

from autograder.quality.bench import Bench
from autograder.quality.generated import SOME, _judge, judge_exercise, mutants_of, right_answers, run, summed
from autograder.quality.probes import probes
from autograder.quality.reasons import Reason, read_reasons
from autograder.quality.rules import RULES, generated
from autograder.source.covered import declaration
from autograder.source.percent import read_source
from autograder.source.visible import declared
from course_utils.errors import CourseError
from tests.paths import ROOT

ANSWER = '''
def scores(q: torch.Tensor, mask: torch.Tensor | None, n: int, beta: float, rng: torch.Generator) -> torch.Tensor:
    """Text."""
    if mask is None:
        mask = torch.ones(n, 2)
    x = torch.softmax(-q - 1, dim=-1) * mask / len(q)
    return x + torch.randn(n, 2, generator=rng)
'''


def test_mutants_are_python_and_no_two_are_alike() -> None:
    found = generated(ANSWER)
    assert len({one.text for one in found}) == len(found) > 60
    assert ast.unparse(ast.parse(ANSWER)) not in {one.text for one in found}
    assert sum(one.domain for one in found) > len(found) / 2
    for one in found:
        ast.parse(one.text)


def test_every_rule_makes_something_somewhere() -> None:
    body = "return nn.Dropout(0.5)(x) if self.training and 1 < x else x.max()"
    more = f"class M:\n    def forward(self, x: Tensor):\n        {body}"
    found = {one.rule for text in (ANSWER, more) for one in generated(text)}
    assert found == {rule for rule, _, _ in RULES}


@pytest.mark.parametrize(
    "line",
    ["mask = None", "q = q[:-1]", "rng = torch.Generator().manual_seed(0)", "beta = min(beta, 20.0)", "n = min(n, 5)"],
)
def test_arguments_are_taken_otherwise(line: str) -> None:
    assert any(f"    {line}\n" in one.text for one in generated(ANSWER))


COUNTING = ROOT / "solutions" / "04_counting.py"


def test_a_sample_of_a_small_exercise_is_judged_and_adds_up() -> None:
    found = judge_exercise(COUNTING, "flops", 16)
    assert found["uncontrolled"] == [] and found["controls"] == SOME
    assert found["generated"] == found["killed"] + len(found["equivalent"]) + len(found["survived"]) == 16
    assert found["killed"] > 8 and found["probes"] > 100


def test_a_larger_sample_contains_a_smaller_one() -> None:
    small, large = (mutants_of([ANSWER], size) for size in (5, 20))
    assert large[:5] == small and len(mutants_of([ANSWER])) > 20


def test_a_bench_that_refuses_a_right_answer_proves_nothing() -> None:
    bench = Bench(read_source(COUNTING), "flops")
    right = right_answers(read_source(COUNTING), "flops")[:2]
    broken = [right[0], "def flops_per_token(*_):\n    return 0\n"]
    found = _judge(bench, broken, mutants_of(right, 5))
    assert found["uncontrolled"] == ["right answer 2 of 2: broken"] and found["killed"] == 0
    total = summed({"04_counting/flops": found})
    assert total["generated"] == total["killed"] == total["exercises"] == 0
    assert total["uncontrolled"] == ["04_counting/flops: right answer 2 of 2: broken"]


def test_what_enters_itself_under_the_references_name_is_judged_like_others() -> None:
    source = read_source(ROOT / "solutions" / "08_other_attentions.py")
    bench = Bench(source, "synthesizer")
    answer = right_answers(source, "synthesizer")[0]
    assert bench.judge(answer) == "kept"
    assert bench.judge(answer.replace(".triu(1)", ".triu(2)")) == "broken"
    assert bench.judge(answer) == "kept"


def test_a_difference_beyond_the_checks_cases_makes_a_survivor(monkeypatch: pytest.MonkeyPatch) -> None:
    source = read_source(COUNTING)
    bench = Bench(source, "flops")
    answer = right_answers(source, "flops")[0]
    assert bench.difference(answer) == ""
    wrong = mutants_of([answer], 8)
    monkeypatch.setattr(Bench, "judge", lambda *_: "kept")  # a check that sees nothing
    found = _judge(bench, [answer], wrong)
    assert len(found["survived"]) > 4 and all(row["differs"] for row in found["survived"])


def test_probes_hold_all_general_rules_beside_gradients() -> None:
    source = read_source(ROOT / "solutions" / "05_transfer.py")
    cell = next(cell for cell in declared(source) if cell.exercise == "last_token")
    asked = {trial.ask.way for trial in probes(declaration(cell), "")}
    assert {"slopes", "arguments_after", "again", "laid_out"} <= asked


ROW = {
    "rule": "another form of the result",
    "change": "- return x\n+ return x.round(decimals=3)",
    "differs": "call, a: b",
}


@pytest.mark.parametrize(
    ("reason", "covers"),
    [
        (Reason("04_counting/*", "+ *.round(decimals=3)*", "three decimals are enough"), True),
        (Reason("04_counting/flops", "+ *round*", "so it is", differs="again*"), False),
        (Reason("01_attention/*", "+ *round*", "so it is"), False),
        (Reason("*", "+ *detach*", "so it is"), False),
    ],
)
def test_a_reason_covers_an_exercise_and_a_change(reason: Reason, covers: bool) -> None:
    part = {"uncontrolled": [], "generated": 3, "domain": 3, "killed": 1, "stopped": 0, "controls": 3}
    part |= {"survived": [ROW], "equivalent": [ROW]}
    total = summed({"04_counting/flops": part}, [reason])
    assert (total["equivalent"], len(total["survived"])) == ((2, 0) if covers else (1, 1))
    assert total["excused"] == ({reason.text: 1} if covers else {})


@pytest.mark.parametrize(
    "text", ["[[reason]]\nexercise = 1", "reason = [", '[[reason]]\nexercise="a"\nchange="b"\ntext=" "']
)
def test_a_table_of_reasons_that_says_nothing_is_refused(tmp_path: Path, text: str) -> None:
    (table := tmp_path / "generated.toml").write_text(text)
    with pytest.raises(CourseError, match=r"generated\.toml"):
        read_reasons(table)


def test_a_record_is_gone_on_from_while_it_is_current(tmp_path: Path) -> None:
    record = tmp_path / "record.json"
    one = run("06", "choose", 1, record, 4)
    before = record.read_text()
    assert run("06", "choose", 1, record, 4) == one and record.read_text() == before
    assert one["generated"] == 4 == json.loads(before)["exercises"]["06_pretraining/choose"]["generated"]
    record.write_text(before.replace(json.loads(before)["exercises"]["06_pretraining/choose"]["made_from"], "old"))
    assert run("06", "choose", 1, record, 4) == one and '"old"' not in record.read_text()
    record.write_text("{}")
    with pytest.raises(CourseError, match="no record"):
        run("06", "choose", 1, record, 4)


@pytest.mark.slow
def test_the_promises_of_copying_refuse_what_rules_make() -> None:
    found = judge_exercise(ROOT / "solutions" / "01_attention.py", "copying")
    assert found["survived"] == [] and found["killed"] > 100
    assert found["generated"] == found["killed"] + len(found["equivalent"])


SAMPLE = (
    ("01_attention", "averaging"), ("02_blocks", "heads"), ("03_positions", "bias_count"), ("04_counting", "training_bytes"),
    ("05_transfer", "last_token"), ("06_pretraining", "choose"), ("07_knowledge", "london"), ("08_other_attentions", "costs"),
)  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize(("notebook", "exercise"), SAMPLE)
def test_no_mistake_survives_without_a_reason(notebook: str, exercise: str) -> None:
    found = run(notebook, exercise, 1, sample=40)
    assert found["survived"] == [] and found["uncontrolled"] == []
    assert found["killed"] > 20


def test_at_least_half_of_the_mistakes_are_of_the_domain() -> None:
    made = [
        one
        for notebook, exercise in SAMPLE
        for one, _ in mutants_of(right_answers(read_source(ROOT / "solutions" / f"{notebook}.py"), exercise)[:3], 40)
    ]
    assert len(made) > 200 and sum(one.domain for one in made) >= len(made) / 2


def test_an_exercise_that_is_not_there_is_named() -> None:
    with pytest.raises(CourseError, match="nothing"):
        run(exercise="nothing")
