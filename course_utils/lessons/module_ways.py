"""How checks ask a module that lives on: its weights change in place between two calls, and others are made beside it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from torch import Tensor, nn

from course_utils.checks.asking import FETCH, built, opened, sendable, sent
from course_utils.checks.compare import CheckFailed, difference, plain
from course_utils.checks.draws import Case, Draw
from course_utils.checks.fetch import fetches
from course_utils.checks.weights import load_canonical

TOOL = "course_utils.lessons.module_ways.reweighted"
STEP, FILE = 0.5, 0.75  # all weights times this, in place


def while_weights_change(student: Any, case: Case, name: str) -> list[Any]:
    """Outputs of one module, with a change of its weights before each call but the first.

    It is in evaluation mode, or in the mode that ``setup["training"]`` says; see :func:`either_mode`.

    The first and the last call are where gradients are kept, four calls between them where none are. So weights that
    are kept in either place alone are seen, too; and all calls have the same tensors. Changes are in place, by a file,
    and by other storage, as ``module.to(…)`` makes it. The case's weights are by name.

    Raises:
        CheckFailed: the module has changed its input.
    """
    made, found = built(student, case, name, training=case.setup.get("training", False)), []
    reweighted, alone = student.tool(TOOL), student.tool(FETCH + "without_gradients")
    loaded = {key: FILE * value for key, value in case.setup["weights"].items()}
    given = [student.keep(value) if sendable(value) else sent(student, value) for value in case.args]
    for graded, way, weights in (
        (True, "", {}),
        (False, "in place", {}),
        (False, "in place", {}),
        (False, "by a file", loaded),
        (False, "elsewhere", {}),
        (True, "in place", {}),
    ):
        if way:
            reweighted(made, way, weights)
        found.append(opened(made(*given) if graded else alone(made, given, {})))
    kept = ((student.fetch(one), value) for one, value in zip(given, case.args, strict=True) if sendable(value))
    if any(difference(plain(now, lambda other: None), value) is not None for now, value in kept):
        raise CheckFailed("the input x is changed in place: a call must leave it as it is")
    return found


def beside_another(student: Any, case: Case, name: str) -> Any:
    """The output of a module after another one of its class was made, with the sizes of ``setup["others"]``."""
    made = built(student, case, name, training=False)
    getattr(student, name)(*sent(student, case.setup["others"]))
    return opened(made(*(sent(student, value) for value in case.args)))


def beside(case: Case, *others: Any) -> Case:
    """The case, with the sizes of a second module."""
    return Case(case.args, setup={**case.setup, "others": others})


def either_mode(d: Draw, case: Case) -> Case:
    """The case of a module without dropout, every second one in training mode."""
    return Case(case.args, setup={**case.setup, "training": d.each(False, True)})  # noqa: FBT003


@fetches("a module's weights can only be changed in place where it is")
def reweighted(module: nn.Module, way: str, weights: Mapping[str, Tensor]) -> None:
    """Change all parameters; the mode stays.

    Args:
        way: "by a file": load these weights by name; "negated": in place; else all are halved, "in place" or "elsewhere", in
            new storage.
    """
    if way == "by a file":
        load_canonical(module, weights)
        return
    for parameter in module.parameters():
        if way == "elsewhere":
            parameter.data = STEP * parameter.data
        else:  # autograd counts no change that goes through .data
            parameter.data.mul_(-1 if way == "negated" else STEP)
