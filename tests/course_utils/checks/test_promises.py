"""Checks made of promises: the same trials here and in a file, hints by look-up, trouble that finds what it is for."""

from __future__ import annotations

import math
from collections import namedtuple
from typing import Any

import pytest
import torch

from course_utils.checks import selfcheck
from course_utils.checks.agree import close, same
from course_utils.checks.asking import Ask, call
from course_utils.checks.casefile import Entry, Mistake, from_json, pack, to_json, unpack
from course_utils.checks.draws import Case, Draw, Seeded
from course_utils.checks.fetch import laid_out
from course_utils.checks.fingerprint import alike, fingerprint
from course_utils.checks.promised import answers_of, run
from course_utils.checks.promises import promise, promises
from course_utils.checks.selfcheck import Handle, Student, check
from course_utils.checks.trouble import detached, gradients, layouts, repeatable, unchanged
from course_utils.checks.verdict import broken, short
from course_utils.data import Question
from course_utils.errors import CourseError


def scaled(x: torch.Tensor, k: float) -> tuple[torch.Tensor, float]:
    return k * x, k


def vectors(d: Draw) -> tuple[Any, ...]:
    n, m = d.sizes(n=(1, 9), m=(1, 5))
    return d.normal(n, m), d.uniform(1, 3)


DECLARED = promises(
    reference={"scaled": scaled},
    returns=("product", "factor"),
    always=(unchanged, repeatable, layouts, detached, gradients(0)),
    kept=[
        promise("the product is k times x", "k times x", vectors),
        promise("k may be 0", "0 <= k", [(torch.ones(2), 0.0)]),
    ],
)


def entry(mistakes: tuple[Mistake, ...] = (), declared: Any = DECLARED) -> Entry:
    listed = tuple(declared.listed())
    trials = tuple(t for number in range(len(listed)) for t in declared.trials(number, 0, small=True))
    return from_json(to_json(Entry("x", listed, trials, mistakes, {"scaled": ("x", "k")})))


def student(function: Any) -> Student:
    return Student(lambda: {"scaled": function})


def lost(function: Any) -> list[str]:
    made = entry()
    return [made.promises[number].sentence for number in broken(answers_of(made, student(function)))]


def test_the_reference_keeps_everything_and_a_file_gives_back_what_went_in():
    assert lost(scaled) == []
    made = entry()
    assert to_json(from_json(to_json(made))) == to_json(made)


def test_a_fingerprint_that_mistakes_share_stands_in_a_file_once_and_older_files_are_read():
    prints = tuple(map(fingerprint, answers_of(entry(), student(scaled))))
    mistakes = (Mistake("first", prints), Mistake("second", prints))
    written = to_json(entry(mistakes))
    assert len(written["prints"]) == len({str(one) for one in prints}) and from_json(written).mistakes == mistakes
    older = {**written, "mistakes": [[one.hint, *one.prints] for one in mistakes]}
    older.pop("prints")
    assert from_json(older).mistakes == mistakes


def test_a_mistake_is_found_again_where_it_was_made_in_32_bits_and_rounding_is_none():
    def twofold(x, k):
        return 2 * k * x, k

    def in_32_bits(x, k):
        return (2 * k * x.float()).to(x.dtype), k

    prints = tuple(map(fingerprint, answers_of(entry(), student(twofold))))
    made = entry((Mistake("twice too large", prints),))
    assert made.hint(answers_of(made, student(in_32_bits))) == "twice too large"
    rounded = tuple(map(fingerprint, answers_of(entry(), student(lambda x, k: (k * (x + 1e-5), k)))))
    made = entry((Mistake("something is added", rounded),))
    assert made.hint(answers_of(made, student(lambda x, k: ((k * x.float()).to(x.dtype), k)))) == ""


class Reused:
    """A function that gives its own buffer where no gradients are kept."""

    def __init__(self) -> None:
        self.kept: dict[Any, torch.Tensor] = {}

    def __call__(self, x: torch.Tensor, k: float) -> tuple[torch.Tensor, float]:
        if torch.is_grad_enabled():
            return k * x, k
        return self.kept.setdefault(x.shape, torch.empty_like(x)).copy_(k * x), k


def test_a_result_that_a_later_call_overwrites_without_gradients_is_found():
    assert lost(Reused()) == [repeatable.rule]


@pytest.mark.parametrize(("shift", "rules"), [(3e-5, []), (0.1, [repeatable.rule])])
def test_without_gradients_a_result_of_32_bits_may_be_rounded_otherwise_and_no_more(shift, rules):
    declared = promises(
        reference={"scaled": scaled},
        agree=close(1e-3),
        always=(repeatable,),
        kept=[promise("product", "q", lambda d: (100 * d.normal(5, 4, dtype=torch.float32), 1.0))],
    )
    made = entry(declared=declared)
    found = answers_of(made, student(lambda x, k: (k * x + (0 if torch.is_grad_enabled() else shift), k)))
    assert [made.promises[number].sentence for number in broken(found)] == rules


Pair = namedtuple("Pair", "product factor")  # as students write it


@pytest.mark.parametrize(
    "right",
    [
        lambda x, k: [k * x, k],
        lambda x, k: Pair(k * x, k),
        lambda x, k: (k * x, torch.tensor(k, dtype=torch.float64)),
        lambda x, k: (sum(k * x for _ in range(2)) / 2, k),
    ],
)
def test_right_answers_written_otherwise_pass(right):
    assert lost(right) == []


def in_place(x, k):
    if x.requires_grad:
        return x * k, k
    x.mul_(k)
    return x.clone(), k


def remembers(x, k, calls=[]):  # noqa: B006  # the mistake
    calls.append(x)
    return k * x + len(calls), k


@pytest.mark.parametrize(
    ("wrong", "rule"),
    [
        (in_place, unchanged.rule),
        (lambda x, k: (k * x.view(-1).view(x.shape) if x.is_contiguous() else 0 * x, k), layouts.rule),
        (lambda x, k: ((k * x).detach(), k), gradients(0).rule),
        (lambda x, k: (torch.from_numpy(x.numpy() * k), k), detached.rule),
    ],
)
def test_each_trouble_finds_what_it_is_for(wrong, rule):
    assert rule in lost(wrong)
    assert "the product is k times x" not in lost(wrong)


def turns_its_rows(x, k):
    """Changes its argument, which cannot be seen where there is one row."""
    product = k * x
    x.copy_(x.detach().flip(0)) if not x.requires_grad else None
    return product, k


def test_trouble_is_made_on_several_cases():
    """A single one has one row for a ninth of the seeds."""
    number = [one.sentence for one in DECLARED.listed()].index(unchanged.rule)
    for seed in range(60):
        answers = [trial.run(student(turns_its_rows)) for trial in DECLARED.trials(number, seed)]
        assert not all(answer.kept for answer in answers), seed


def sorts_its_argument(questions):
    questions.sort(key=lambda q: q.text)
    return len(questions)


class Behind(Student):
    """Gives the course's records as handles, as a sandbox does."""

    def fetch(self, handle):
        return [Handle(one, "a question") for one in handle._raw]


@pytest.mark.parametrize(("function", "kept"), [(len, True), (sorts_its_argument, False)])
@pytest.mark.parametrize("kind", [Student, Behind])
def test_lists_of_records_are_looked_at_after_the_call(function, kept, kind):
    asked = Case(([Question("Who?", "Ada"), Question("What?", "Oslo")],))
    (way,) = unchanged.asks(call("count"))
    want = way(Student(lambda: {"count": len}), asked)
    assert (way(kind(lambda: {"count": function}), asked) == want) is kept


def test_a_function_that_remembers_breaks_its_promise():
    assert repeatable.rule in lost(remembers)


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (lambda x, k: k * x, "return 2 things"),
        (lambda x, k: None, "nothing (None)"),
        (lambda x, k: (k * x[None], k), "product has shape"),
        (lambda x, k: (k * x, "k"), "factor is text"),
        (lambda x, k: (k * x, k + math.nan), "factor contains NaN"),
    ],
)
def test_what_differs_in_kind_is_said(wrong, words):
    text = "\n".join(run("scaled", entry(), student(wrong))[1])
    assert words in text and "x = " in text and len(text.splitlines()) <= 10


def test_a_hint_comes_by_look_up_and_only_for_the_same_answers():
    def adds(x, k):
        return k + x, k

    def adds_otherwise(x, k):
        return (x * 3 + 3 * k) / 3, float(torch.tensor(k, dtype=torch.float64))

    filed = Mistake("multiply instead", tuple(map(fingerprint, answers_of(entry(), student(adds)))))
    made = entry((filed,))
    assert "multiply instead" in "\n".join(run("scaled", made, student(adds_otherwise))[1])
    told = "\n".join(run("scaled", made, student(lambda x, k: (k + x + 1e-2, k)))[1])
    assert "multiply instead" not in told and "broken: the product is k times x" in told
    twice = entry((filed, Mistake("another hint", filed.prints)))
    assert twice.hint(answers_of(twice, student(adds))) == ""  # two hints for one answer: neither


def test_fingerprints_tell_forms_and_exceptions_apart():
    def prints(function):
        return [fingerprint(answer) for answer in answers_of(entry(), student(function))]

    functions = [scaled, lambda x, k: k * x, lambda x, k: 1 / 0, lambda x, k: [][1], lambda x, k: (k * x, math.inf)]
    found = [prints(function) for function in functions]
    assert all(alike(one, two) == (one is two) for one in found for two in found)


def test_fingerprints_tell_number_types_apart_where_they_decide():
    def both(x):
        return x.float(), x.sign().long()

    declared = promises(reference={"both": both}, agree=same(types=True), always=(), kept=[
        promise("types", "q", [(torch.tensor([1.0, -2.0], dtype=torch.float64),)])
    ])  # fmt: skip
    (trial,) = declared.trials(0, 1)
    wrong = (lambda x: (x, both(x)[1])), (lambda x: (both(x)[0], both(x)[1].int()))
    one, two = ([fingerprint(trial.run(Student(lambda made=made: {"both": made})))] for made in wrong)
    assert not alike(one, two) and alike(one, one)


def test_status_of_what_is_not_written_and_of_an_exception():
    def todo(x, k):
        raise NotImplementedError

    assert run("scaled", entry(), student(todo))[0] == "unsolved"
    assert run("scaled", entry(), Student(dict))[0] == "unsolved"
    status, lines, sentence = run("scaled", entry(), student(lambda x, k: 1 / 0))
    assert status == "failed" and "ZeroDivisionError" in "\n".join(lines) and sentence


def test_sizes_go_through_equal_and_extreme_ones():
    seen = [Draw(1, number).sizes(n=(1, 9), m=(1, 9)) for number in range(7)]
    assert seen[0][0] != seen[0][1]
    assert any(n == m for n, m in seen) and {n for n, _ in seen} >= {1, 9} and {m for _, m in seen} >= {1, 9}
    assert all((2, 3, 2) in [Draw(s, k).sizes(a=(2, 9), b=(3, 9), c=(2, 9)) for k in range(9)] for s in range(20))


def test_each_meets_every_option():
    assert {Draw(5, number).each("a", "b", "c") for number in range(3)} == {"a", "b", "c"}
    assert Draw(5, 0).each("a", "b", "c") == "a"


def test_masks_come_in_every_form_that_broadcasts():
    shapes = {tuple(Draw(2, number).mask(2, 3, 4).shape) for number in range(20)}
    assert {(2, 3, 4), (1, 3, 4), (3, 4), (1, 1, 4), (4,), (2, 1, 4), (2, 3, 1), (1, 1, 1)} <= shapes
    for number in range(20):
        mask = Draw(2, number).mask(2, 3, 4)
        assert mask.any(-1).all() and mask.broadcast_to(2, 3, 4).shape == (2, 3, 4)


@pytest.mark.parametrize(
    "value",
    [None, 3, 0.1, "x", [1, (2, None)], {"a": (1,), 2: []}, Seeded(4, "python"), torch.bfloat16, call("f"),
     Ask("again", (call("f"), 3)), math.inf],
)  # fmt: skip
def test_values_go_through_a_file(value):
    assert unpack(pack(value)) == value


@pytest.mark.parametrize("kind", [torch.float64, torch.float32, torch.bfloat16, torch.int64, torch.bool])
def test_tensors_go_through_a_file(kind):
    value = torch.tensor([[0.0, 1.0], [-2.5, 3.0]]).to(kind)
    found = unpack(pack(value))
    assert found.dtype == kind and torch.equal(found, value)
    assert unpack(pack(torch.zeros(0, 3))).shape == (0, 3)


@pytest.mark.parametrize(
    ("got", "want"), [(10**400, 1.5), (-(10**400), 1.5), ([10**400], [3]), ((1, 10**400), (1, 2.0))]
)
def test_a_whole_number_beyond_all_floats_is_a_wrong_answer_and_no_error_of_the_check(got, want):
    assert "infinity" in (close(1e-6).problem(Case((1.0,)), got, want) or "")


def test_coarse_types_loosen_a_tolerance_and_equality_stays():
    case = Case((torch.ones(1, dtype=torch.float32),))
    assert close(1e-9).problem(case, 1.0 + 1e-6, 1.0) is None
    assert close(1e-9).problem(Case(), 1.0 + 1e-6, 1.0) is not None
    assert same().problem(case, torch.tensor([1]), torch.tensor([2])) is not None


@pytest.mark.parametrize(("kind", "error"), [(torch.bfloat16, 0.02), (torch.float16, 0.004)])
def test_an_answer_that_chooses_a_coarse_type_is_compared_as_one_of_32_bits(kind, error):
    want = torch.linspace(0.1, 1.0, 10, dtype=torch.float64)
    numbers, coarse = Case((10, 1.0)), Case((torch.ones(1, dtype=kind),))
    wrong = (want * (1 + error)).to(kind)
    assert close(1e-6).problem(numbers, wrong, want) is not None
    assert close(1e-6).problem(coarse, wrong, want) is None, "a case in this type asks for no more"
    assert close(1e-6).problem(numbers, want.float(), want) is None


def test_a_number_is_not_loosened_by_the_tensor_that_holds_it():
    """An answer given numbers and asked for a number may use 32 bits, and not round to four digits behind them."""
    case, hours = Case((3, 2.0)), 1234.5678
    assert close(1e-9).problem(case, torch.tensor(hours), hours) is None
    assert close(1e-9).problem(case, torch.tensor(hours * (1 + 3e-5)), hours) is not None
    assert close(1e-9).problem(case, torch.tensor(5e-5), 0.0) is not None
    assert close(1e-9).problem(case, (torch.tensor(hours), 1), (hours, 1)) is None


@pytest.mark.parametrize("want", [3, 2.5, [3], {"a": 1.0}])
def test_equality_with_a_whole_number_beyond_all_floats_is_a_wrong_answer(want):
    got = [10**400] if type(want) is list else {"a": 10**400} if type(want) is dict else 10**400
    assert same().problem(Case((1.0,)), got, want) == ""
    assert same().problem(Case((1.0,)), 10**400, 10**400) is None


def test_a_generator_begins_anew_in_every_call():
    def draws(rng):
        return torch.rand(3, generator=rng)

    case, ask = Case((Seeded(7),)), call("draws")
    one = Student(lambda: {"draws": draws})
    assert torch.equal(ask(one, case), ask(one, case))


def test_without_its_visible_cases_a_check_says_so_instead_of_nothing(monkeypatch, tmp_path):
    monkeypatch.setattr(selfcheck.place, "data", tmp_path)
    source = tmp_path / "cell.py"
    source.write_text("from course_utils.checks.selfcheck import check\ncheck('averaging')\n")
    with pytest.raises(CourseError, match="no visible cases"):
        exec(compile(source.read_text(), str(source), "exec"), {})


def test_under_nbgrader_it_raises(monkeypatch, capsys):
    monkeypatch.setattr("course_utils.checks.student.namespace", lambda: {"averaging": lambda *_: None})
    monkeypatch.setenv("NBGRADER_EXECUTION", "autograde")
    with pytest.raises(selfcheck.CheckFailed):
        check("averaging")
    monkeypatch.delenv("NBGRADER_EXECUTION")
    check("averaging")
    check("averaging", show=True)
    assert "two items are enough" in capsys.readouterr().out


def test_values_that_look_alike_get_more_digits():
    assert short(0.5) == short(0.5000001) and short(0.5, 8) != short(0.5000001, 8)


def doubled(case: Case, value: Any) -> Any:
    return 2 * value


def test_two_calls_of_an_answer_seen_through_a_view_are_alike():
    declared = promises(
        reference={"scaled": lambda x: x + 1},
        agree=close(view=f"{__name__}.doubled"),
        kept=[promise("x and 1", "x and 1", [(torch.ones(2),)])],
    )
    trials = [one for number in range(len(declared.listed())) for one in declared.trials(number, 1)]
    assert all(one.run(student(lambda x: 1 + x)).kept for one in trials)
    made = from_json(to_json(Entry("x", tuple(declared.listed()), tuple(trials), ())))
    assert [one.agree for one in made.trials] == [one.agree for one in trials]


def test_a_transposed_tensor_cannot_be_viewed_with_fewer_axes():
    with pytest.raises(RuntimeError):
        laid_out(torch.zeros(2, 3, 4), "transposed").view(6, 4)


def test_a_promise_without_visible_cases_is_asked_in_grading_alone():
    declared = promises(reference={"scaled": scaled}, kept=[promise("by chance", "q", vectors, visible=0, fresh=3)])
    assert declared.trials(0, 1, small=True) == [] and len(declared.trials(0, 1)) >= 3
