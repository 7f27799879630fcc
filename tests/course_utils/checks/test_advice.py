"""What a check says of errors of torch and numpy: number types that do not fit, operations that are lacking."""

import numpy as np
import pytest
import torch

from course_utils.checks.selfcheck import explain
from course_utils.checks.student import StudentError

F = torch.nn.functional
TYPES = {
    "product of bool": lambda: torch.ones(2, 2, dtype=torch.bool) @ torch.ones(2, 2, dtype=torch.bool),
    "mean of whole numbers": lambda: torch.arange(3).mean(),
    "softmax of whole numbers": lambda: torch.arange(3).softmax(0),
    "product of two types": lambda: torch.ones(2, 2) @ torch.ones(2, 2).double(),
    "linear": lambda: torch.nn.Linear(2, 2)(torch.ones(1, 2).double()),
    "normalisation": lambda: torch.nn.LayerNorm(2)(torch.ones(1, 2).double()),
    "embedding": lambda: torch.nn.Embedding(3, 2)(torch.ones(2)),
    "index": lambda: torch.ones(3)[torch.zeros(1)],
    "mask": lambda: torch.ones(3).masked_fill(torch.zeros(3), 0),
    "condition": lambda: torch.where(torch.zeros(3), 1, 2),
    "in place": lambda: torch.arange(3).mul_(1.5),
    "scatter": lambda: torch.zeros(3).scatter_(0, torch.tensor([0]), torch.ones(1).double()),
    "cross-entropy": lambda: F.cross_entropy(torch.ones(2, 3), torch.tensor([0.0, 1.0])),
    "attention": lambda: F.scaled_dot_product_attention(*(torch.ones(1, 2, 2, dtype=kind) for kind in
                                                          (torch.float32, torch.float64, torch.float32))),
    "not of bool": lambda: -torch.ones(2, dtype=torch.bool),
    "one minus bool": lambda: 1 - torch.ones(2, dtype=torch.bool),
    "multinomial": lambda: torch.multinomial(torch.arange(3), 1),
}  # fmt: skip


class NoForward(torch.nn.Module):
    """A module whose ``forward`` has another name."""


def caught(action):
    """The StudentError of what the action raises."""
    with pytest.raises(Exception) as raised:
        action()
    return StudentError(raised.type.__name__, str(raised.value), 2)


@pytest.mark.parametrize("name", TYPES)
def test_number_types_that_do_not_fit_are_called_so(name):
    """torch's own words, as this installation says them; none of them is taken for an unwritten answer."""
    error = caught(TYPES[name])
    assert "the number type does not fit" in explain(error) and not error.unsolved


def test_an_operation_that_torch_lacks_is_no_unwritten_answer():
    error = caught(lambda: NoForward()(1))
    assert error.kind == "NotImplementedError" and not error.unsolved
    assert "NotImplementedError in line 2" in explain(error) and "forward" in explain(error)
    moved = caught(
        lambda: torch.empty(2, device="meta").to("cpu")
    )  # an answer that moves its argument to a fixed device
    assert moved.kind == "NotImplementedError" and not moved.unsolved
    for text in ("", "not written yet", "write your answer in this cell"):
        assert StudentError("NotImplementedError", text).unsolved


def test_other_errors_have_no_advice_about_types():
    for action in (lambda: float("x"), lambda: np.array([1])[3], lambda: torch.nn.Dropout(2), lambda: [][0]):
        assert not caught(action).advice
