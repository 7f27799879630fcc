"""Ways to ask a student's code for values. The judge and the notebook ask alike, and the reference is asked the same way.

An :class:`Ask` is plain data: the name of a way and its options, so that it can stand in a file. ``student`` is whatever
gives names: the student's notebook, here or in a sandbox, or :class:`Reference`. Nothing here compares anything.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from torch import Tensor

from course_utils.checks.compare import CheckFailed, difference, plain
from course_utils.checks.draws import Case, Made, Named, Seeded
from course_utils.checks.student import Held, Student
from course_utils.errors import CourseError

MOST_ENTRIES, DEEPEST = 100_000, 5  # of results that the student's own kinds of sequences hold
NO_SLOPES = (
    "no gradient comes back: the result is cut off from the arguments (detach, .data, item, tolist, numpy, no_grad or a "
    "tensor made anew)"
)
NO_SLOPES_ALONE = (
    "no gradient comes back where {}: do not go by which of them requires one, and cut nothing off "
    "(detach, .data, no_grad)"
)
FETCH, WEIGHTS = "course_utils.checks.fetch.", "course_utils.checks.weights."
WAYS: dict[str, Callable[..., Any]] = {}


@dataclass(frozen=True)
class Ask:
    """One way to ask, with its options (plain values, or another Ask that it builds on)."""

    way: str
    options: tuple[Any, ...] = ()

    def __call__(self, student: Any, case: Case) -> Any:
        """What the student's code answers: plain values. Raises StudentError."""
        return _way(self.way)(student, case, *self.options)

    @property
    def name(self) -> str:
        """The name of the notebook that is asked for."""
        first = self.options[0] if self.options else ""
        inner = next((option for option in self.options if isinstance(option, Ask)), None)
        return inner.name if inner else str(first)


def _way(name: str) -> Callable[..., Any]:
    """A way of this module or of trouble.py by its short name, a lesson's own by its full one."""
    if name in WAYS:
        return WAYS[name]
    if not name.startswith("course_utils."):
        known = ", ".join(sorted(WAYS))
        raise CourseError(f"{name}: no such way to ask; name one of {known}, or a function of course_utils.")
    return load(name)


def load(name: str) -> Any:
    """What stands in ``course_utils`` under this full name."""
    module, _, function = name.rpartition(".")
    if not module.startswith("course_utils."):
        raise CourseError(f"{name}: give the full name of something in course_utils.")
    return getattr(importlib.import_module(module), function)


def way(function: Callable[..., Any]) -> Callable[..., Any]:
    """Enter a way to ask under the function's name, without a leading underscore."""
    WAYS[function.__name__.lstrip("_")] = function
    return function


class Reference(Student):
    """The oracle, asked as a student is: names and what they stand for."""

    def __init__(self, names: Mapping[str, Any]) -> None:
        super().__init__(lambda: dict(names))


def sent(student: Any, value: Any) -> Any:
    """An argument as it is sent: generators begin anew, what a tool makes is made, names are looked up."""
    if isinstance(value, Seeded):
        return value.fresh()
    if isinstance(value, Named):
        return getattr(student, value.name)
    if isinstance(value, Made):
        return student.hold(student.tool(value.tool), *(sent(student, item) for item in value.args))
    if type(value) in (list, tuple):
        return type(value)(sent(student, item) for item in value)
    return {key: sent(student, item) for key, item in value.items()} if type(value) is dict else value


def call(name: str) -> Ask:
    """Call the function of this name with the case's arguments."""
    return Ask("call", (name,))


@way
def _call(student: Any, case: Case, name: str) -> Any:
    return _called(student, getattr(student, name), case)


def _called(student: Any, function: Any, case: Case) -> Any:
    named = {key: sent(student, value) for key, value in case.kwargs.items()}
    return opened(function(*(sent(student, value) for value in case.args), **named))


@way
def _drawn(student: Any, case: Case, inner: Ask, calls: int) -> Any:
    """The results of several calls that share one random generator, in order."""
    if inner.way != "call" or case.kwargs:
        return [inner(student, shared) for shared in [shared_generators(case)] for _ in range(calls)]
    function, row = getattr(student, inner.name), tuple(sent(student, value) for value in case.args)
    return [opened(value) for value in student.map(function, [row] * calls)]


def shared_generators(case: Case) -> Case:
    """The case with generators in place of their seeds, so that several calls draw on."""
    return replace(case, args=tuple(v.fresh() if isinstance(v, Seeded) else v for v in case.args))


@way
def _alike(student: Any, case: Case, one: Ask, two: Ask) -> bool:
    """Whether two ways to ask bring the same: what can be asked of a random procedure, with equal generators."""
    return difference(plain(one(student, case), opaque), plain(two(student, case), opaque), (1e-6, 1e-6)) is None


def opaque(value: Any) -> Any:
    """An object that stays on the student's side is compared as if it were None."""
    return None


def module(name: str, *, training: bool = False, method: str = "", calls: int = 1) -> Ask:
    """Build the class of this name, load weights, call it.

    A case's ``setup`` has ``sizes`` (the class's arguments, a tuple), perhaps ``options`` (keyword arguments), and
    ``weights``: a dictionary by name, or a list for the parameters in order, or nothing for a class without any.

    Args:
        training: the mode it is called in.
        method: the method that is called; "" for the module itself.
        calls: how often; the results of several calls come as a list.
    """
    return Ask("module", (name, {"training": training, "method": method, "calls": calls}))


@way
def _module(student: Any, case: Case, name: str, options: Mapping[str, Any]) -> Any:
    made = built(student, case, name, training=options["training"])
    target = getattr(made, options["method"]) if options["method"] else made
    results = [_called(student, target, case) for _ in range(options["calls"])]
    return results if options["calls"] > 1 else results[0]


def built(student: Any, case: Case, name: str, *, training: bool) -> Any:
    """A module of the student's class with the case's weights, as a handle. Raises CheckFailed, StudentError."""
    sizes, options = case.setup.get("sizes", ()), case.setup.get("options", {})
    made = getattr(student, name)(*sent(student, sizes), **sent(student, options))
    if not is_handle(made):
        raise CheckFailed(f"{name}(…) must give a module")
    weights = case.setup.get("weights", {})
    shapes = student.tool(WEIGHTS + "shapes_of")(made, True)  # noqa: FBT003 (a parameter may have a second name)
    if sentence := misfit(shapes, weights):
        raise CheckFailed(sentence)
    return student.hold(student.tool(WEIGHTS + "filled"), made, weights, training)


def misfit(shapes: Any, weights: Mapping[str, Tensor] | list[Tensor]) -> str:
    """Why weights do not fit a module with parameters of these shapes; "" if they do. It has no name that a student chose."""
    if type(shapes) is not dict:
        return "your class must give a module"
    if isinstance(weights, list):
        same = [tuple(shape) for shape in shapes.values()] == [tuple(value.shape) for value in weights]
        return "" if same else "your module must have the parameters that the text asks for, in that order"
    for name, value in weights.items():
        if name not in shapes:
            return f"your module has no weight named {name}: give its parts the names of the text"
        if tuple(shapes[name]) != tuple(value.shape):
            return f"the weight {name} has another shape than {tuple(value.shape)}, which these sizes need"
    return "" if shapes.keys() <= weights.keys() else "your module has weights that the text does not ask for"


@way
def _slopes(student: Any, case: Case, name: str, places: list[int], kind: str = "", inner: bool = False) -> Any:  # noqa: FBT001, FBT002 (options stand in a file by place)
    """Gradients with respect to the arguments at these places.

    Args:
        kind: number type of all floating-point arguments; "" as the case has them.
        inner: whether the function is given results of a computation, as a layer inside of a model is.
    """
    arguments = [sent(student, value) for value in case.args]
    found = student.tool(FETCH + "slopes")(getattr(student, name), arguments, places, kind, inner)
    return require_each(found, places)


@way
def _module_slopes(student: Any, case: Case, name: str, options: Mapping[str, Any], inner: str = "") -> Any:
    """Gradients with respect to a module's inputs and parameters; ``inner`` as in ``slopes``, where it is not empty."""
    made = built(student, case, name, training=options["training"])
    given = [sent(student, value) for value in case.args]
    found = student.tool(WEIGHTS + "module_slopes")(made, given, bool(inner))
    if type(found) is not dict:
        return found
    require_slopes(found, found.get("inputs"))
    _require_some(found.get("inputs alone"), "the inputs alone require gradients, and all parameters are frozen")
    _require_some(found.get("weights alone"), "the parameters alone require gradients, and no input does")
    if not isinstance(case.setup.get("weights"), list):
        return found
    return {key: list(value.values()) if type(value) is dict else value for key, value in found.items()}


def _require_some(slopes: Any, where: str) -> None:
    """Raise CheckFailed where there are gradients and all of them are None."""
    values = [*slopes.values()] if type(slopes) is dict else slopes
    if type(values) is list and values and all(value is None for value in values):
        raise CheckFailed(NO_SLOPES_ALONE.format(where))


def require_each(found: Any, places: Sequence[int]) -> Any:
    """``found``, what the tool ``slopes`` brings. Raises CheckFailed where all are None, or those of one argument alone."""
    together, alone = (found.get("together"), found.get("alone")) if type(found) is dict else (found, None)
    require_slopes(found, together)
    if type(alone) is list and len(alone) == len(places):
        places_lost = sorted(place for place, slope in zip(places, alone, strict=True) if slope is None)
        if lost := [f"argument {place + 1}" for place in places_lost]:
            raise CheckFailed(NO_SLOPES_ALONE.format(f"{' or '.join(lost)} alone requires gradients"))
    return found


def require_slopes(found: Any, slopes: Any) -> Any:
    """``found``. Raises CheckFailed where all slopes are None: the result does not know what it was computed from."""
    if type(slopes) is list and slopes and all(slope is None for slope in slopes):
        raise CheckFailed(NO_SLOPES)
    return found


def opened(value: Any) -> Any:
    """The value with sequences of the student's own kind (named tuples, lists of a class) opened into tuples.

    What has no length stays a handle; comparing says so. All handles of one depth are asked in one round trip. Raises
    CheckFailed for too many entries.
    """
    closed: set[int] = set()  # handles that are no sequences
    for _ in range(DEEPEST):
        handles = {id(one): one for one in _handles(value) if id(one) not in closed}
        if not handles:
            break
        entries = dict(zip(handles, _entries([*handles.values()]), strict=True))
        closed |= {key for key, one in entries.items() if one is None}
        value = _filled(value, {key: tuple(one) for key, one in entries.items() if one is not None})
    return value


def _entries(handles: Sequence[Any]) -> list[Any]:
    """Of each its entries, or None. Raises CheckFailed for too many, and for anything else that came back."""
    found = handles[0]._entries_(handles, MOST_ENTRIES)
    lists = [one for one in found if one is not None]
    if any(type(one) is not list for one in lists) or sum(map(len, lists)) > MOST_ENTRIES:
        raise CheckFailed("the result has too many entries to be checked")
    return found


def _handles(value: Any) -> Iterator[Any]:
    """The handles in a value, in order."""
    if type(value) in (list, tuple):
        for item in value:
            yield from _handles(item)
    elif is_handle(value):
        yield value


def _filled(value: Any, entries: Mapping[int, tuple[Any, ...]]) -> Any:
    """The value with the entries of handles in their places."""
    if type(value) in (list, tuple):
        return type(value)(_filled(item, entries) for item in value)
    return entries.get(id(value), value) if is_handle(value) else value


def is_handle(value: object) -> bool:
    """Whether this stands for an object that stays on the student's side, here or in a sandbox."""
    return isinstance(value, Held)


def sendable(value: Any) -> bool:
    """Whether a call could change this argument, and it can be kept: a tensor, or a list or dictionary of plain values."""
    if isinstance(value, list | dict):
        return all(map(_plain, value.values() if isinstance(value, dict) else value))
    return isinstance(value, Tensor)


def _plain(value: Any) -> bool:
    if isinstance(value, list | tuple | dict):
        return all(map(_plain, value.values() if isinstance(value, dict) else value))
    return not (is_handle(value) or isinstance(value, Seeded | Named | Made))
