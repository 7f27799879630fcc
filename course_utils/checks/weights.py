"""Weights by the course's names: drawn where the oracle is, loaded into the student's module where that stands."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor, nn

from course_utils.checks.fetch import derived, fetches, mixture
from course_utils.errors import CourseError

PROJECTIONS = ("q_proj", "k_proj", "v_proj")
"""The order in which PyTorch stacks the three projections in ``in_proj_weight``."""


def canonical_weights(module: nn.Module) -> dict[str, Tensor]:
    """The module's weights under the course's names: ``nn.MultiheadAttention`` is unpacked into its projections.

    ``in_proj_weight`` (3D, D) becomes ``q_proj.weight``, ``k_proj.weight``, ``v_proj.weight`` (D, D) each.
    """
    return unpacked(module.state_dict())


def unpacked(values: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Copies of values by a module's names, under the course's names."""
    weights: dict[str, Tensor] = {}
    for name, value in values.items():
        prefix, dot, last = name.rpartition(".")
        if last.startswith("in_proj_"):
            for part, projection in zip(value.chunk(3), PROJECTIONS, strict=True):  # (3D, …) -> 3 x (D, …)
                weights[f"{prefix}{dot}{projection}.{last.removeprefix('in_proj_')}"] = part.detach().clone()
        else:
            weights[name] = value.detach().clone()
    return weights


def second_names(module: nn.Module) -> set[str]:
    """Names of parameters that also have one with fewer dots, or as many and an earlier one: a layer within another, say."""
    named = sorted(module.named_parameters(remove_duplicate=False), key=lambda pair: pair[0].count("."))
    first: dict[int, str] = {}
    return {name for name, parameter in named if first.setdefault(id(parameter), name) != name}


def load_canonical(module: nn.Module, weights: Mapping[str, Tensor]) -> None:
    """Inverse of :func:`canonical_weights`: copy named weights into ``module``; names it lacks are ignored.

    Raises CourseError if the module holds a parameter for which there is no weight (its names differ from the text's), or
    one of another shape.
    """
    state: dict[str, Tensor] = {}
    parameters = {name for name, _ in module.named_parameters()} - second_names(module)
    for name, old in module.state_dict().items():
        prefix, dot, last = name.rpartition(".")
        new = weights.get(name, None if name in parameters else old)
        if last.startswith("in_proj_"):
            names = [f"{prefix}{dot}{projection}.{last.removeprefix('in_proj_')}" for projection in PROJECTIONS]
            new = torch.cat([weights[n] for n in names]) if all(n in weights for n in names) else None
        if new is None:
            raise CourseError(
                f"Your module has a weight named {name}, which the text does not ask for; rename or remove it."
            )
        if new.shape != old.shape:
            raise CourseError(
                f"Your module's weight {name} has shape {tuple(old.shape)} instead of {tuple(new.shape)}."
            )
        state[name] = new
    module.load_state_dict(state)


@fetches("the names and shapes for which the judge draws weights")
def weight_shapes(make: Callable[..., nn.Module], sizes: Sequence[Any]) -> dict[str, tuple[int, ...]]:
    """Shapes of the parameters of ``make(*sizes)`` under the course's names; buffers are left out."""
    return shapes_of(make(*sizes))


@fetches("the names and shapes of the weights of a module that stands here")
def shapes_of(module: nn.Module, once: bool = False) -> dict[str, tuple[int, ...]]:  # noqa: FBT001, FBT002 (checks pass it by place)
    """Shapes of a module's parameters under the course's names; buffers are left out.

    Args:
        once: whether a parameter with several names is listed under one alone.
    """
    left = {name for name, _ in module.named_buffers()} | (second_names(module) if once else set())
    own = unpacked({name: value for name, value in module.state_dict().items() if name not in left})
    return {name: tuple(value.shape) for name, value in own.items()}


def random_weights(module: nn.Module, rng: torch.Generator) -> dict[str, Tensor]:
    """Random weights for every parameter of ``module`` under the course's names; no gain is 1 and no bias is 0.

    Matrices have variance 1/columns, so that no layer saturates; vectors (biases, gains) are N(0.5, 0.5²).
    """
    drawn = {}
    for name, value in canonical_weights(module).items():
        noise = torch.randn(value.shape, generator=rng)
        drawn[name] = noise / value.shape[-1] ** 0.5 if value.dim() > 1 else 0.5 + 0.5 * noise
    return drawn


@fetches("a module must be filled where it stands")
def filled(module: nn.Module, weights: Any, training: bool) -> nn.Module:  # noqa: FBT001 (checks pass it by place)
    """The module with these weights (by name, or a list for its parameters in order), in that mode; float64 if they are."""
    given = list(weights if isinstance(weights, list) else weights.values())
    module = module.double() if any(value.dtype == torch.float64 for value in given) else module
    if isinstance(weights, list):
        with torch.no_grad():
            for parameter, value in zip(module.parameters(), weights, strict=True):
                parameter.copy_(value)
    elif weights:
        load_canonical(module, weights)
    return module.train(training)


@fetches("gradients can only be computed where the graph is")
def module_slopes(module: nn.Module, arguments: Sequence[Any], inner: bool = False) -> dict[str, Any]:  # noqa: FBT001, FBT002 (checks pass it by place)
    """Gradients of a fixed mixture of a module's results with respect to its inputs and its parameters in order.

    Where there are both, they also come ``alone``: those of the inputs while all parameters are frozen, and those of the
    parameters while no input requires any.

    Args:
        inner: whether the module gets results of a computation in place of leaves of the graph.
    """
    floating = any(isinstance(value, Tensor) and value.is_floating_point() for value in arguments)
    trained = [parameter for parameter in module.parameters() if parameter.requires_grad]
    found = _slopes_of(module, arguments, inner=inner)
    if not (floating and trained):
        return found
    found["weights alone"] = _slopes_of(module, arguments, inputs=False)["weights"]
    try:
        for parameter in trained:
            parameter.requires_grad = False
        return found | {"inputs alone": _slopes_of(module, arguments, inner=inner, weights=False)["inputs"]}
    finally:
        for parameter in trained:
            parameter.requires_grad = True


def _slopes_of(
    module: nn.Module, arguments: Sequence[Any], *, inner: bool = False, inputs: bool = True, weights: bool = True
) -> dict[str, Any]:
    """Gradients with respect to inputs that are leaves (if ``inputs``) and to parameters (if ``weights``)."""
    given = [
        value.detach().clone().requires_grad_(inputs)
        if isinstance(value, Tensor) and value.is_floating_point()
        else value
        for value in arguments
    ]
    leaves = [value for value in given if isinstance(value, Tensor) and value.requires_grad]
    passed = [value * 1 if inner and isinstance(value, Tensor) and value.requires_grad else value for value in given]
    total, second = mixture(module(*passed)), second_names(module)
    every = module.named_parameters(remove_duplicate=False) if weights else ()
    named = {name: parameter for name, parameter in every if name not in second}
    if total is None or not total.requires_grad:
        return {"inputs": [None for _ in leaves], "weights": dict.fromkeys(named)}
    found = derived(total, [*leaves, *named.values()])
    pairs = zip(named, found[len(leaves) :], strict=True)
    return {
        "inputs": list(found[: len(leaves)]),
        "weights": unpacked({name: one for name, one in pairs if one is not None}),
    }
