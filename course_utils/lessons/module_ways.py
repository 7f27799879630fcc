"""How checks ask a module whose weights change in place between two calls, as a training step or a file changes them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor, nn

from course_utils.checks.asking import FETCH, built, opened, sent
from course_utils.checks.draws import Case
from course_utils.checks.fetch import fetches
from course_utils.checks.weights import load_canonical

TOOL = "course_utils.lessons.module_ways.reweighted"
STEP, FILE = 0.5, 0.75  # all weights times this, in place


def while_weights_change(student: Any, case: Case, name: str) -> list[Any]:
    """Six outputs of two modules in evaluation mode, at first and after each change of the weights.

    The first module is called where gradients are kept, the second where none are. The weights are by name.
    """
    found, reweighted = [], student.tool(TOOL)
    alone = student.tool(FETCH + "without_gradients")
    loaded = {key: FILE * value for key, value in case.setup["weights"].items()}
    for graded in (True, False):
        made = built(student, case, name, training=False)
        for weights in (None, {}, loaded):
            if weights is not None:
                reweighted(made, weights)
            given = [sent(student, value) for value in case.args]
            found.append(opened(made(*given) if graded else alone(made, given, {})))
    return found


@fetches("a module's weights can only be changed in place where it is")
def reweighted(module: nn.Module, weights: Mapping[str, Tensor]) -> None:
    """Load these weights by name; without any, halve all parameters as an optimizer changes them. The mode stays."""
    if weights:
        load_canonical(module, weights)
        return
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.mul_(STEP)
