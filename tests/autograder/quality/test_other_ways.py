"""Functions of torch computed by other steps give the same, and a promise that asks for too much is found by them."""

from __future__ import annotations

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from autograder.quality import other_ways as room
from autograder.quality import right_answers
from course_utils.checks.agree import close
from course_utils.checks.promises import promise, promises

X = torch.randn(3, 4, 5, generator=torch.Generator().manual_seed(1), dtype=torch.float64)
BLOCKED = torch.where(X > 0, X, -torch.inf)
NORM = nn.LayerNorm(5).double()


@pytest.mark.parametrize(
    ("table", "work", "calls"),
    [
        (room.SHARES, lambda: (torch.softmax(X, 1), X.softmax(-1), F.softmax(X, dim=0), nn.Softmax(2)(X)), 4),
        (room.SHARES, lambda: (torch.log_softmax(X, 1), X.log_softmax(-1), F.log_softmax(BLOCKED, dim=-1)), 3),
        (room.SHARES, lambda: (BLOCKED.softmax(-1), torch.full((2, 2), -torch.inf).softmax(-1)), 2),
        (room.SUMS, lambda: (X @ X.mT, torch.matmul(X, X[0, 0]), X[0] @ X[0].T, X[0, 0] @ X[0, 1]), 4),
        (room.SUMS, lambda: (F.linear(X, X[0]), F.linear(X, X[0], X[0, :, 0]), nn.Linear(5, 2).double()(X)), 3),
        (room.SUMS, lambda: (NORM(X), F.layer_norm(X, (4, 5)), torch.logsumexp(BLOCKED, 1), X.logsumexp(-1, True)), 4),
        (room.SUMS, lambda: (torch.full((2, 2), -torch.inf).logsumexp(0),), 1),
    ],
)
def test_all_are_computed_otherwise_and_give_the_same(table, work, calls):
    torch.manual_seed(0)
    want = work()
    torch.manual_seed(0)
    with room.Otherwise(table) as mode:
        got = work()
    assert mode.count >= calls
    for one, two in zip(got, want, strict=True):
        torch.testing.assert_close(one, two, rtol=1e-12, atol=1e-12, equal_nan=True)


def test_gradients_too():
    x, y = (X.clone().requires_grad_() for _ in range(2))
    (x.softmax(-1) @ X.mT).sin().sum().backward()
    with room.Otherwise({**room.SHARES, **room.SUMS}) as mode:
        (y.softmax(-1) @ X.mT).sin().sum().backward()
    assert mode.count == 2
    torch.testing.assert_close(x.grad, y.grad)


@pytest.mark.parametrize(("large", "found"), [(1.0, False), (1e5, True)])
def test_a_promise_that_asks_for_more_than_the_numbers_can_keep_is_found(large, found):
    """Slopes beside values of 100,000 are rounding, of whatever way to compute them."""

    def slope(x, v):
        x = x.clone().requires_grad_()
        return torch.autograd.grad((torch.softmax(x, 0) * v).sum(), x)[0]

    def cases(d):
        return d.normal(4, scale=10.0, dtype=torch.float32), d.normal(4, scale=large, dtype=torch.float32)

    one = promise("any scores", "q", cases, far=False, trouble=False)
    check = promises(reference={"slope": slope}, agree=close(), always=(), kept=[one])
    said = [right_answers._otherwise(check, right_answers.drawn(check, seed), room.SHARES) for seed in range(10)]
    assert any(said) is found


def test_what_is_left_out_are_checks_of_the_course():
    names = {f"{path.stem}/{name}" for path, name in right_answers.jobs_of(None, None)}
    assert set(room.ALIKE) <= names
