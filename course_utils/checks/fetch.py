"""Tools that run beside the student's functions and fetch values for a check. They conclude nothing.

A check asks for one with ``student.tool("course_utils.checks.fetch.slopes")``. It is loaded from the course's own file, not
from the notebook's names, so that a notebook which rebinds a name changes nothing. What it brings back is still only what
the student's process says: a check compares it with what the judge computes, for inputs and weights that the judge drew.
"""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any, TypeVar

import torch
from torch import Tensor

from course_utils.errors import CourseError

T = TypeVar("T")
_ROOT = Path(__file__).resolve().parents[2]
_loaded: dict[str, ModuleType] = {}


def fetches(reason: str) -> Callable[[T], T]:
    """Mark a function or class that a check may run beside the student's; ``reason`` says why it must run there."""

    def mark(tool: T) -> T:
        tool.__fetches__ = reason  # type: ignore[attr-defined]
        return tool

    return mark


def fetcher(path: str) -> Any:
    """The tool ``package.module.name``, from its file. Raises CourseError when it is not marked with :func:`fetches`."""
    place, _, name = path.rpartition(".")
    if place not in _loaded:
        file = _ROOT.joinpath(*place.split(".")).with_suffix(".py")
        if not place.startswith("course_utils.") or not file.is_file():
            raise CourseError(f"{path} is no tool: name a function as course_utils.lessons.module.function.")
        _loaded[place] = _run(place, file)
    tool = getattr(_loaded[place], name, None)
    if not isinstance(getattr(tool, "__fetches__", None), str):
        raise CourseError(f"{path} is no tool for checks: mark it with @fetches and the reason why it runs there.")
    return tool


def _run(place: str, file: Path) -> ModuleType:
    """The module of this file as a fresh one. ``sys.modules`` has it only while it runs, since dataclasses look there."""
    spec = importlib.util.spec_from_file_location(place, file)
    assert spec is not None and spec.loader is not None
    module, before = importlib.util.module_from_spec(spec), sys.modules.get(place)
    sys.modules[place] = module
    try:
        spec.loader.exec_module(module)
    finally:
        sys.modules.pop(place, None)
        if before is not None:
            sys.modules[place] = before
    return module


@fetches("only where it runs can a tensor lie in memory in a chosen way: on its way here it becomes contiguous")
def laid_out(value: Tensor, how: str) -> Tensor:
    """An equal tensor that lies in memory as named: ``transposed`` (the first axis fastest), ``strided`` (every
    other number), ``shifted``."""
    if how == "transposed" and value.dim() > 1:
        turned = tuple(reversed(range(value.dim())))
        return value.permute(turned).contiguous().permute(turned)
    if how == "shifted":
        room = value.new_zeros(value.numel() + 3)
        room[3:] = value.reshape(-1)
        return room[3:].view(value.shape)
    return torch.stack([torch.ones_like(value), value], -1)[..., 1]


@fetches("only where it runs does a result lie where the student's code may have kept it")
def overwritten(value: Any) -> None:
    """Put other numbers into a result, or take its items away; what cannot be written to stays as it is."""
    if isinstance(value, Tensor):
        try:
            value.detach().copy_(~value if value.dtype == torch.bool else value.detach() + 1)
        except RuntimeError:  # several numbers at one place, or made for inference alone
            return
    elif isinstance(value, tuple | list):
        for item in value:
            overwritten(item)
    elif isinstance(value, dict):
        for item in value.values():
            overwritten(item)
    if isinstance(value, list | dict):
        value.clear()


@fetches("gradients from before and the weights as they were can only be kept where the model is")
def marked(model: Any) -> list[tuple[Tensor, bool]]:
    """Give each trained parameter of a model a gradient of ones; return weights and which are trained, [] for other things."""
    if not isinstance(model, torch.nn.Module):
        return []
    for parameter in model.parameters():
        parameter.grad = torch.ones_like(parameter) if parameter.requires_grad else None
    return [(parameter.detach().clone(), parameter.requires_grad) for parameter in model.parameters()]


@fetches("a model's parameters can only be looked at where it is")
def changed(model: Any, before: Sequence[tuple[Tensor, bool]]) -> list[tuple[bool, bool, bool]]:
    """For each parameter of a model that was ``marked``: whether weight, trained or not, and old gradient are others."""
    if not before:
        return []
    return [
        (
            not torch.equal(now.detach(), weight),
            now.requires_grad != trained,
            trained and (now.grad is None or not bool((now.grad == 1).all())),
        )
        for now, (weight, trained) in zip(model.parameters(), before, strict=True)
    ]


@fetches("a module's mode can only be read where it is")
def modes(module: Any) -> list[bool]:
    """Whether each part of a module is in training mode; [] for other things."""
    return [part.training for part in module.modules()] if isinstance(module, torch.nn.Module) else []


@fetches("only where it runs is a tensor the same one after its numbers have changed")
def refilled(tensor: Tensor, numbers: Tensor) -> None:
    """Put these numbers into a tensor of the same shape and type."""
    tensor.copy_(numbers)


@fetches("whether gradients are kept is a setting of the process in which a function runs")
def without_gradients(function: Callable[..., Any], arguments: Sequence[Any], named: dict[str, Any]) -> Any:
    """The function's result where no gradients are kept."""
    with torch.no_grad():
        return function(*arguments, **named)


@fetches("only where the function runs can gradients be ruled out")
def in_inference(function: Callable[..., Any], arguments: Sequence[Any], named: dict[str, Any]) -> Any:
    """The function's result in inference mode, as a tensor of the usual kind."""
    with torch.inference_mode():
        found = function(*arguments, **named)
    return found.clone() if isinstance(found, Tensor) else found


@fetches("gradients can only be computed where the graph is")
def slopes(
    function: Callable[..., Any],
    arguments: Sequence[Any],
    places: Sequence[int],
    kind: str = "",
    inner: bool = False,  # noqa: FBT001, FBT002 (checks pass it by place)
) -> Any:
    """Gradients of a fixed mixture of all floating-point results with respect to the arguments at these places.

    None stands for each of them where the result depends on none as far as autograd knows. Of several places they come
    twice: ``together``, where all require gradients, and ``alone``, where each one is the only one that does.

    Args:
        kind: number type of all floating-point arguments; "" leaves them as they are. Whole numbers at these places
            become floating-point numbers.
        inner: whether the function gets results of a computation in place of leaves of the graph.
    """
    given = [_typed(value, kind) for value in arguments]
    for place in places:
        given[place] = given[place] if given[place].is_floating_point() else given[place].double()

    def with_respect_to(chosen: Sequence[int]) -> list[Any]:
        leaves = {place: given[place].detach().clone().requires_grad_() for place in chosen}
        passed = [leaves.get(place, value) for place, value in enumerate(given)]
        if inner:
            passed = [value * 1 if place in leaves else value for place, value in enumerate(passed)]
        return derived(mixture(function(*passed)), [*leaves.values()])

    together = with_respect_to(places)
    if len(places) == 1:
        return together
    return {"together": together, "alone": [with_respect_to([place])[0] for place in places]}


def _typed(value: Any, kind: str) -> Any:
    """A floating-point tensor in this number type; other values, and all without a type, as they are."""
    floating = isinstance(value, Tensor) and value.is_floating_point()
    return value.to(getattr(torch, kind)) if kind and floating else value


def derived(total: Tensor | None, leaves: Sequence[Tensor]) -> list[Tensor | None]:
    """Gradients with respect to all leaves; None where the total depends on none of them."""
    if total is None or not total.requires_grad:
        return [None for _ in leaves]
    return list(torch.autograd.grad(total, leaves, allow_unused=True, materialize_grads=True))


def mixture(value: Any) -> Tensor | None:
    """Sum of all floating-point numbers of a result, each with a weight of its own; None if there are none."""
    parts = value if isinstance(value, list | tuple) else list(value.values()) if isinstance(value, dict) else [value]
    total: Tensor | None = None
    for number, part in enumerate(parts):
        if isinstance(part, list | tuple | dict):
            piece = mixture(part)
        elif isinstance(part, Tensor) and part.is_floating_point():
            weights = torch.cos(torch.arange(part.numel(), dtype=torch.float64) + 1.7 * number + 0.3)
            piece = (part.reshape(-1).double() * weights).sum()
        else:
            piece = None
        total = piece if total is None else total if piece is None else total + piece
    return total
