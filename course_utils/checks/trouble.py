"""The library of trouble: what may go wrong with any function, whatever it computes, named once and used by declaration.

Each trouble makes a promise of its own out of the exercise's cases, by asking in another way. Its sentence is one of the
general rules that stand at the beginning of every notebook; :data:`RULES` is the list.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from typing import Any

import torch
from torch import Tensor

from course_utils.checks.agree import COARSE, Agree, same
from course_utils.checks.asking import FETCH, Ask, _called, built, is_handle, opaque, opened, sendable, sent, way
from course_utils.checks.compare import CheckFailed, difference, field_names, is_record, plain
from course_utils.checks.draws import Case, Made, Seeded
from course_utils.checks.kept_results import Keeping
from course_utils.checks.neighbours import neighbours
from course_utils.checks.student import StudentError

NEAR = 1e-6
MODE = (
    "a call switches the module between training and evaluation, which only its user does: leave out eval() and train()"
)
LAYOUTS = ("transposed", "strided", "shifted")


@dataclass(frozen=True)
class Trouble:
    """One kind of trouble.

    Attributes:
        name: short name, for the table of promises.
        rule: the general rule that it holds an answer to.
        ways: wrappers of the exercise's way to ask, each giving a way that makes this trouble.
        agree: how answers are compared; None as the exercise compares.
        after: a wrapper whose answers are compared as the exercise's, whatever ``agree`` says; in grading alone.
    """

    name: str
    rule: str
    ways: tuple[tuple[str, tuple[Any, ...]], ...]
    agree: Agree | None = None
    after: str = ""

    def asks(self, inner: Ask, twin: Case | None = None, *, random: bool = False) -> list[Ask]:
        """The ways to ask that make this trouble, around the exercise's own.

        Args:
            twin: a case of the same sizes with other numbers, if there is one.
            random: whether results are random, so that they are compared with those of no trouble.
        """
        if random and self.agree is None:
            return [Ask("alike", (inner, Ask(name, (inner, *options)))) for name, options in self.ways]
        if self.name == "gradients":  # asked of the function itself, not of what a way brings back
            return [Ask("slopes", (inner.name, *options)) for _, options in self.ways if inner.way == "call"]
        if self.name == "all gradients":
            own = [Ask("module_slopes", (*inner.options, *options)) for _, options in self.ways]
            return own if inner.way == "module" else []
        found = [Ask(name, (inner, *options)) for name, options in self.ways]
        if self.name == "repeatable" and twin and not twin.kwargs and inner.way in ("call", "module"):
            found.append(Ask("still", (inner, list(twin.args))))
        if self.name == "repeatable" and inner.way in ("call", "module"):
            found.append(Ask("ungraded", (inner, [] if twin is None or twin.kwargs else list(twin.args))))
        if self.name == "repeatable" and inner.way not in ("call", "module"):
            found.append(Ask("stays", (inner, [] if twin is None or twin.kwargs else list(twin.args))))
        return found


unchanged = Trouble("unchanged", "A function leaves its arguments as they are.", (("arguments_after", ()),), same())
repeatable = Trouble(
    "repeatable",
    "The same arguments give the same result, however often it is asked for, and what was returned stays as it is.",
    (("again", ()),),
    same(),
    after="after_others",
)
typed = Trouble(
    "typed",
    "Results have the number type of the arguments, 32-bit or 64-bit.",
    tuple(("kinds", (kind,)) for kind in ("float32", "float64")),
    same(),
)
layouts = Trouble(
    "layouts",
    "Tensors may lie in memory in any way: slices, transposes and views are as good as any other.",
    tuple(("laid_out", (how,)) for how in LAYOUTS),
)
detached = Trouble("detached", "Arguments may require gradients.", (("requiring", ()),))
all_gradients = Trouble(
    "all gradients",
    "Gradients flow to a module's inputs and to all its parameters.",
    (("module_slopes", ()), ("module_slopes", ("inner",))),
)
RULES = tuple(trouble.rule for trouble in (unchanged, repeatable, typed, layouts, detached, all_gradients))


def gradients(*places: int, types: Sequence[str] = ("float32",)) -> Trouble:
    """Gradients with respect to the arguments at these positions equal the reference's, zero where they must be.

    They are asked for as the cases are, for arguments that are results themselves, and for such in each of ``types``.
    """
    ways = [(list(places),), *((list(places), kind, True) for kind in ("", *types))]
    return Trouble(
        "gradients", "Gradients flow through the result to the arguments.", tuple(("slopes", one) for one in ways)
    )


@way
def _arguments_after(student: Any, case: Case, inner: Ask) -> Any:
    """Keep the arguments on the student's side, call, and fetch them: what they are afterwards.

    Of a model that a course tool makes, what has changed: weights, which of them are trained, gradients from before.
    """
    args = [_kept(student, value) for value in case.args]
    kwargs = {key: _kept(student, value) for key, value in case.kwargs.items()}
    given = [*zip(case.args, args, strict=True), *((case.kwargs[key], kwargs[key]) for key in kwargs)]
    models = [kept for value, kept in given if isinstance(value, Made)]
    before = [student.hold(student.tool(FETCH + "marked"), kept) for kept in models]
    inner(student, replace(case, args=tuple(args), kwargs=kwargs))
    after = [_fields(student.fetch(kept), sent) for sent, kept in given if sendable(sent)]
    changed = [student.tool(FETCH + "changed")(*pair) for pair in zip(models, before, strict=True)]
    return [[value, value.requires_grad] if isinstance(value, Tensor) else value for value in after] + changed


def _kept(student: Any, value: Any) -> Any:
    """A copy of an argument that stays on the student's side, and what a course tool makes there."""
    return student.keep(value) if sendable(value) else sent(student, value) if isinstance(value, Made) else value


def _fields(value: Any, like: Any) -> Any:
    """The value with the course's own records as their fields: out of a sandbox a record comes as a handle."""
    if is_record(like) and (is_record(value) or is_handle(value)):
        return {name: _fields(getattr(value, name), getattr(like, name)) for name in field_names(like)}
    if type(like) is list and type(value) is list and len(like) == len(value):
        return [_fields(one, two) for one, two in zip(value, like, strict=True)]
    return value


@way
def _again(student: Any, case: Case, inner: Ask) -> bool:
    """Whether two calls bring the same, of one module if it is one, which stays in its mode.

    Raises:
        CheckFailed: a call changes the module's mode.
    """
    if inner.way == "module":
        twice = replace(inner, options=(inner.options[0], {**inner.options[1], "calls": 2}))(student, case)
        for training in (True, False):
            _keep_the_mode(student, case, inner, training=training)
        return difference(plain(twice[0]), plain(twice[1]), (1e-6, 1e-6)) is None
    return bool(Ask("alike", (inner, inner))(student, case))


def _keep_the_mode(student: Any, case: Case, inner: Ask, *, training: bool) -> None:
    """Raise CheckFailed if a module, or a part of it, is in another mode after a call than before."""
    made, method = built(student, case, inner.name, training=training), inner.options[1]["method"]
    modes, target = student.tool(FETCH + "modes"), getattr(made, method) if method else made
    before = plain(modes(made), opaque)
    target(*(sent(student, value) for value in case.args), **{k: sent(student, v) for k, v in case.kwargs.items()})
    after = plain(modes(made), opaque)
    if type(before) is not list or type(after) is not list or difference(after[: len(before)], before) is not None:
        raise CheckFailed(MODE)


@way
def _still(student: Any, case: Case, inner: Ask, other: Sequence[Any]) -> bool:
    """Whether a result is the same after a call with other numbers, and a function's next one after it was overwritten.

    And whether it goes by the numbers of its arguments, not by which tensors they are. A module may well return what it
    keeps, a table of positions for instance, so its results are not overwritten.
    """
    function = _target(student, case, inner)
    held = student.hold(function, *(sent(student, value) for value in case.args))
    before = plain(opened(student.fetch(held)), opaque)
    function(*(sent(student, value) for value in other))
    same_still = difference(plain(opened(student.fetch(held)), opaque), before) is None
    if not same_still:
        return False
    if inner.way != "module":
        student.tool(FETCH + "overwritten")(held)
        if difference(plain(inner(student, case), opaque), before, (1e-6, 1e-6)) is not None:
            return False
    return difference(_refilled(student, case, function, other), before, (1e-6, 1e-6)) is None


@way
def _after_others(student: Any, case: Case, inner: Ask, which: int | None = None) -> Any:
    """What the way brings after calls whose arguments agree with the case's in much: what is kept by a part is found.

    Args:
        which: number of the only one that comes before, for who keeps one result alone; None for all of them.
    """
    module = inner.way == "module"
    ask = partial(_called, student, _target(student, case, inner)) if module else partial(inner, student)
    for other in islice(neighbours(case), which or 0, None if which is None else which + 1):
        with contextlib.suppress(StudentError, CheckFailed):  # they may be none that the text allows
            ask(other)
    return ask(case)


@way
def _stays(student: Any, case: Case, inner: Ask, other: Sequence[Any]) -> bool:
    """Whether all that a function returned, when it is asked in a way of its own, is the same after the calls that follow.

    They are those of the case, and of one with other numbers; first all of them keep gradients, then none does.
    """
    for alone in (False, True):
        keeping = Keeping(student, alone=alone)
        inner(keeping, case)
        with contextlib.suppress(StudentError, CheckFailed):  # what else the way asks for may stand in the case's setup
            if other:
                inner(keeping, replace(case, args=tuple(other)))
        if not keeping.unchanged():
            return False
    return True


@way
def _ungraded(student: Any, case: Case, inner: Ask, other: Sequence[Any]) -> bool:
    """Whether a call where no gradients are kept brings the same as one where they are, also when it is asked for twice.

    Before it comes a call with other numbers: what is kept only then would be seen in it. Its own result stays as it is.
    """
    want = plain(inner(student, case), opaque)
    function = _target(student, case, inner)
    alone = student.tool(FETCH + "without_gradients")
    held = student.hold(alone, function, [sent(student, value) for value in other], {}) if other else None
    before = plain(opened(student.fetch(held)), opaque) if other else None
    args = [student.keep(value) if sendable(value) else sent(student, value) for value in case.args]
    named = {key: sent(student, value) for key, value in case.kwargs.items()}
    used_up = any(isinstance(value, Seeded | Made) for value in case.args)
    results = [plain(opened(alone(function, args, named)), opaque) for _ in range(1 if used_up else 2)]
    if other and difference(plain(opened(student.fetch(held)), opaque), before) is not None:
        return False
    if other and not used_up:
        results.append(_refilled(student, case, lambda *given: alone(function, list(given), named), other))
    found: list[torch.dtype] = []
    each(want, lambda one: found.append(one.dtype))
    near = max([COARSE.get(kind, NEAR) for kind in found], default=NEAR)  # other operators may run without gradients
    return all(difference(one, want, (near, near)) is None for one in results)


def _target(student: Any, case: Case, inner: Ask) -> Any:
    """The function that a call asks for, or the method of a module with the case's weights."""
    if inner.way != "module":
        return getattr(student, inner.name)
    made, method = built(student, case, inner.name, training=inner.options[1]["training"]), inner.options[1]["method"]
    return getattr(made, method) if method else made


def _refilled(student: Any, case: Case, function: Any, other: Sequence[Any]) -> Any:
    """The result for tensors that held other numbers in the call before and were changed in place since."""
    pairs = [*zip(case.args, other, strict=True)]
    kept = [student.keep(two) if _alike_tensors(one, two) else None for one, two in pairs]
    rest = [student.keep(one) if sendable(one) else None for one, _ in pairs]  # a list is the same one in both calls
    for refilled in (False, True):
        for (one, _), tensor in zip(pairs, kept, strict=True):
            if refilled and tensor is not None:
                student.tool(FETCH + "refilled")(tensor, one)
        given = [k or r or sent(student, one) for (one, _), k, r in zip(pairs, kept, rest, strict=True)]
        result = function(*given)
    return plain(opened(result), opaque)


def _alike_tensors(one: Any, two: Any) -> bool:
    tensors = isinstance(one, Tensor) and isinstance(two, Tensor)
    return tensors and (one.shape, one.dtype) == (two.shape, two.dtype)


@way
def _kinds(student: Any, case: Case, inner: Ask, kind: str) -> list[str]:
    """The number types of all tensors of the result that hold no whole numbers, for arguments of this type."""
    given = getattr(torch, kind)
    args, kwargs, setup = (each(part, lambda one: one.to(given)) for part in (case.args, case.kwargs, case.setup))
    found: list[str] = []
    each(inner(student, Case(args, kwargs, setup)), lambda one: found.append(str(one.dtype)) if one.dim() else None)
    return found


def each(value: Any, change: Callable[[Tensor], Any]) -> Any:
    """The value with each floating-point tensor in it replaced by what ``change`` gives."""
    if isinstance(value, Tensor):
        return change(value) if value.is_floating_point() else value
    if type(value) in (list, tuple):
        return type(value)(each(item, change) for item in value)
    return {key: each(item, change) for key, item in value.items()} if type(value) is dict else value


@way
def _laid_out(student: Any, case: Case, inner: Ask, how: str) -> Any:
    """The result for tensors that lie in memory in this way."""
    tool = student.tool(FETCH + "laid_out")

    def place(value: Any) -> Any:
        return student.hold(tool, value, how) if isinstance(value, Tensor) and value.dim() else value

    args, kwargs = tuple(map(place, case.args)), {key: place(value) for key, value in case.kwargs.items()}
    return inner(student, replace(case, args=args, kwargs=kwargs))


@way
def _requiring(student: Any, case: Case, inner: Ask) -> Any:
    """The result for floating-point tensors that require gradients; that the result says so too is no difference."""

    def ask(value: Tensor) -> Tensor:
        return value.detach().clone().requires_grad_()

    return inner(student, replace(case, args=each(case.args, ask), kwargs=each(case.kwargs, ask)))
