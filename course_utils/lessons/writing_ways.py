"""How the checks of notebook 05 look at what a model writes and at plain results: laws of tokens, number types, modes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor, nn

from course_utils.checks.asking import sent
from course_utils.checks.compare import CheckFailed
from course_utils.checks.draws import Case
from course_utils.checks.fetch import fetches
from course_utils.lessons.module_ways import TOOL as REWEIGHTED
from course_utils.lessons.transfer import EOS, SOS

HERE = "course_utils.lessons.writing_ways."
SMALL = 0.01  # the share below which a token is one of the rare ones


def two_tokens(args: Sequence[Any], result: Any) -> dict[str, Tensor]:
    """The first new token, EOS if there is none, and the second one together with it. Raises CheckFailed for other results."""
    V, most = len(args[0].args[0]), args[2]
    ids = list(result) if isinstance(result, list | tuple) else [V] * V
    if len(ids) > most or any(type(one) is not int or not 0 <= one < V or one == EOS for one in ids):
        raise CheckFailed("a list of at most max_new ids must come, without EOS")
    first, second = [*ids, EOS, EOS][:2]
    both = V * first + second if ids else -1
    # the highest number stands in every call: pairs are numbered by the highest one of a sample, where it may be rare
    return {"first token": torch.tensor([first, V - 1]), "second": torch.tensor([both, V * V - 1])}


def likelihood(args: Sequence[Any], result: Any) -> dict[str, Tensor]:
    """In which quarter the first new token stands, from the most likely ones (0) to the least likely ones (3)."""
    table, bias = args[0].args
    ids = [SOS, *args[1]]
    logits = table[ids[-1]] + bias[ids].mean(0)  # (V,), as the writer gives them
    first = [*result, EOS][0] if isinstance(result, list | tuple) else -1
    if type(first) is not int or not 0 <= first < len(logits):
        raise CheckFailed("a list of ids must come")
    rank = int((logits > logits[first]).sum())
    return {"quarter": torch.tensor([4 * rank // len(logits), 3])}


def tail(args: Sequence[Any], result: Any) -> dict[str, Tensor]:
    """Per new token whether it is one of those with small shares (1) or not (0); the writer minds no token, EOS never comes.

    Raises CheckFailed for anything but max_new ids.
    """
    shares = (args[0].args[0][0] / args[3]).softmax(0)  # (V,)
    if not isinstance(result, list | tuple) or len(result) != args[2]:
        raise CheckFailed("a list of max_new ids must come, since EOS is never drawn here")
    if any(type(one) is not int or not 0 <= one < len(shares) for one in result):
        raise CheckFailed("a list of ids must come")
    return {"token (one with a large share | one with a small share)": (shares < SMALL)[list(result)].long()}


def plain_ids(student: Any, case: Case, name: str) -> bool:
    """Whether a list of Python's whole numbers comes. Raises CheckFailed where it holds tensors."""
    result = getattr(student, name)(*(sent(student, value) for value in case.args))
    if isinstance(result, list | tuple) and any(isinstance(one, Tensor) for one in result):
        raise CheckFailed("the new ids must be Python's whole numbers, and not tensors: int(…) makes one of a tensor")
    return True


def plain_number(student: Any, case: Case, name: str) -> bool:
    """Whether a number comes. Raises CheckFailed for a tensor."""
    if isinstance(getattr(student, name)(*(sent(student, value) for value in case.args)), Tensor):
        raise CheckFailed(f"{name} must return a Python number, and not a tensor: .item() gives one")
    return True


def one_mode(student: Any, case: Case, name: str) -> bool:
    """Whether all parts of a model that was in training mode are in the same mode after the call."""
    first, *rest = (sent(student, value) for value in case.args)
    first.train()
    getattr(student, name)(first, *rest)
    modes = student.tool(HERE + "modes")(first)
    return len(set(modes)) == 1


@fetches("whether each part of a model is in training mode, of which the student's functions must leave none behind")
def modes(model: nn.Module) -> list[bool]:
    """The mode of the model and of each of its parts."""
    return [part.training for part in model.modules()]


def other_weights(student: Any, case: Case, name: str) -> list[Any]:
    """Results with one model as it is, and after all its weights were negated."""
    first, *rest = (sent(student, value) for value in case.args)
    before = getattr(student, name)(first, *rest)
    student.tool(REWEIGHTED)(first, "negated", {})
    return [before, getattr(student, name)(first, *rest)]


def mode_after(student: Any, case: Case, name: str) -> bool:
    """Whether a model that was in evaluation mode is in training mode after the call."""
    first, *rest = (sent(student, value) for value in case.args)
    first.eval()
    getattr(student, name)(first, *rest)
    return bool(first.training)
