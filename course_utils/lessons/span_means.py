"""The mean length of what span corruption cuts out, told within a few hundredths of the kept length L.

``long_contents`` draws 6,000 long documents, in which rounding weighs little: a mean of 0.21 or 0.29 L is found in 59 of
60 trials. A right answer is refused with probability below :data:`ALARM`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from course_utils.checks.asking import sent
from course_utils.checks.bounds import surely_above
from course_utils.checks.compare import CheckFailed
from course_utils.checks.draws import Case
from course_utils.checks.fetch import fetches
from course_utils.checks.span_samples import SHORTEST

ALARM = 2e-6  # of the one trial, whose draws cost more than those of all other laws
TOLERANCE = 0.02
HERE = "course_utils.lessons.span_means."


def off_quarter(kept_of: Tensor, n: Tensor, level: float) -> str:
    """ "longer" or "shorter" if contents of n characters (N,) surely are, on average, than L/4 and the tolerance allow."""
    share, half = n / kept_of, 0.5 / kept_of
    most = float(half.max()) if len(half) else 0.0
    if surely_above(share - 0.25 - TOLERANCE - half, level, -0.25 - TOLERANCE - most):
        return "longer"
    return "shorter" if surely_above(0.25 - TOLERANCE - half - share, level, -0.75 - TOLERANCE - most) else ""


@fetches("thousands of long items would be tens of megabytes; what comes is where their MASKs stand")
def marks(dataset: Any, places: Sequence[int]) -> Tensor:
    """Of the items at these places, (N, 3): first and second place of a MASK in x, -1 where there is none, and x's end."""
    found = []
    for place in places:
        x = dataset[place][0]
        masks = (x == 1).nonzero()[:, 0].tolist()  # (m, 1) -> m numbers
        found.append([*masks[:2], *[-1] * (2 - len(masks[:2])), int((x != 0).sum())])
    return torch.tensor(found)


def long_contents(student: Any, case: Case, name: str) -> bool:
    """Whether the mean length of the content is L/4 in thousands of draws of long documents. Raises CheckFailed."""
    dataset = getattr(student, name)(*(sent(student, value) for value in case.args))
    found = student.tool(HERE + "marks")(dataset, list(case.setup["items"]) * case.setup["times"])
    if not isinstance(found, Tensor) or found.dim() != 2 or found.shape[1] != 3 or found.dtype != torch.int64:
        raise CheckFailed("all items must be pairs of int64 tensors of shape (T,)")
    longest, (first, second, end) = 7 * case.args[2] // 8, found.unbind(1)
    right = (first >= 0) & (second > first) & (end - second >= 2) & (end - 2 >= SHORTEST) & (end - 2 <= longest)
    if not bool(right.all()):
        raise CheckFailed("x must be prefix MASK suffix MASK content PAD…, of 4 to 7 T // 8 characters")
    kept_of, n = (end - 2).double(), (end - second - 1).double()
    group = 4 * kept_of >= longest  # where rounding weighs little
    if way := off_quarter(kept_of[group], n[group], ALARM / 2):
        lengths = f"L = {-(-longest // 4)} to {longest}"
        raise CheckFailed(f"the content is {way} than a quarter of the kept length on average ({lengths})")
    return True
