"""What checks of notebook 03 ask for, on the judge's side, and what they look at."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import torch
from torch import Tensor

from course_utils.checks.asking import FETCH, Ask, is_handle, opened
from course_utils.checks.compare import CheckFailed, difference, plain
from course_utils.checks.draws import Case
from course_utils.checks.fetch import fetches

MANY = 400  # runs that tell a spread and a correlation
AT_ONCE = 400  # runs whose results come in one message
HERE = "course_utils.lessons.positions."
TWO = "return two tensors, unit and raw, each with one variance per width"


@fetches("a generator's state has 5 kB: those of thousands of runs would be sent there and back")
def runs_of(function: Any, dims: list[int], draws: int, seeds: list[int]) -> list[Any]:
    """What the function measures in runs with generators of their own, one for each seed."""
    return [function([*dims], draws, torch.Generator().manual_seed(seed)) for seed in seeds]


def measured(student: Any, case: Case, name: str) -> list[float]:
    """Means and spreads of what many runs measure, unit first, a number per width each, and how the first two widths go together.

    Every run has a generator of its own; ``setup`` has the first one's ``seed`` and the number of ``runs``.
    """
    seed, runs = case.setup["seed"], case.setup["runs"]
    (dims, draws), function, several = case.args, getattr(student, name), student.tool(HERE + "runs_of")
    each: list[Tensor] = []
    for first in range(seed, seed + runs, AT_ONCE):
        seeds = [*range(first, min(first + AT_ONCE, seed + runs))]
        found = opened(several(function, dims, draws, seeds))
        if type(found) not in (list, tuple) or len(found) != len(seeds):
            raise CheckFailed(TWO)
        each += [_variances(value, len(dims)) for value in found]
    rows = _measurable(torch.stack(each), dims)  # (runs, 2, n) -> (runs with a value, 2, n)
    found = [*rows.mean(0).flatten().tolist(), *rows.std(0).flatten().tolist()]  # (runs, 2, n) -> (2n,) each
    return [*found, float(torch.corrcoef(rows[:, 1, :2].T)[0, 1].nan_to_num(1.0))] if runs >= MANY else found


def _measurable(rows: Tensor, dims: list[int]) -> Tensor:
    """The runs of ``rows`` (runs, 2, n) but those, 1 in 100 at most, that drew a vector of norm 0, which has no unit vector.

    In 32 bits, 1 normal number in 10 million is exactly 0, and one number is the whole vector at width 1.
    """
    lost = (rows[:, 0].isnan() & (torch.as_tensor(dims) == 1)).any(1)  # (runs,)
    return rows[~lost] if lost.sum() * 100 <= len(rows) else rows


def _asked(student: Any, case: Case, name: str, rng: torch.Generator) -> Tensor:
    """What one run measures, shape (2, n)."""
    return _variances(getattr(student, name)(*case.args, rng), len(case.args[0]))


def _variances(result: Any, widths: int) -> Tensor:
    """A result as one tensor (2, n). Raises CheckFailed for anything but two tensors with a number for each width."""
    value = plain(opened(result), lambda other: None)
    parts = [torch.as_tensor(part) for part in value] if _pair(value) else []
    if len(parts) != 2 or any(part.shape != (widths,) for part in parts):
        raise CheckFailed(TWO)
    return torch.stack([part.detach().double() for part in parts])


def _pair(value: Any) -> bool:
    return type(value) in (tuple, list) and all(isinstance(part, Tensor | np.ndarray) for part in value)


def same_again(student: Any, case: Case, name: str) -> float:
    """The largest difference between two runs with generators in one state."""
    one, two = (_asked(student, case, name, torch.Generator().manual_seed(case.setup["seed"])) for _ in range(2))
    return float((one - two).abs().max())


def goes_on(student: Any, case: Case, name: str) -> float:
    """The share of numbers that differ in a second run on the same generator, which goes on where the first one stopped."""
    rng = torch.Generator().manual_seed(case.setup["seed"])
    one, two = (_asked(student, case, name, rng) for _ in range(2))
    return float((one != two).double().mean())


def in_a_row(student: Any, case: Case, name: str) -> Tensor:
    """What ``runs`` runs, one after the other on one generator, measure: (runs, 2, n)."""
    rng = torch.Generator().manual_seed(case.setup["seed"])
    results = student.map(getattr(student, name), [(*case.args, rng)] * case.setup["runs"])
    return torch.stack([_variances(value, len(case.args[0])) for value in results])


def each_anew(case: Case, value: Any) -> str:
    """Whether all runs measure something else, and none goes with the one before it (6.5 standard deviations)."""
    logs = value[:, 1].log()  # (runs, 2, n) -> (runs, n), raw
    if len(logs.unique()) < logs.numel():
        return "two runs draw the same numbers"
    together = [float(torch.corrcoef(torch.stack([one[1:], one[:-1]]))[0, 1].nan_to_num(1.0)) for one in logs.T]
    return "a run goes with the one before" if max(map(abs, together)) > 6.5 / len(logs) ** 0.5 else "each run is anew"


def of_so_many_signs(case: Case, value: Any) -> bool:
    """Whether each unit variance of the first width, 1, is one that ``draws`` numbers 1 or -1 can have.

    Divided by draws or by draws - 1; or 1, the mean of their squares, since the mean is known to be 0.
    """
    n, found = case.args[1], value[:, 0, 0]
    found = found[~found.isnan()]  # in 32 bits, 1 normal number in 10 million is 0 and has no unit vector
    sums = [4 * k * (n - k) / n for k in range(n + 1)]
    allowed = torch.tensor([1.0, *(total / count for total in sums for count in (n, n - 1))], dtype=found.dtype)
    return bool(((found[:, None] - allowed).abs().amin(1) < 1e-4).all())


def tenfold(case: Case, value: Any) -> Any:
    """Ten times the numbers: the bound that 32-bit numbers have is one for tens of thousands of steps, and here are few."""
    return 10 * value if isinstance(value, Tensor) else value


def rows_of(student: Any, case: Case, name: str) -> Tensor:
    """Some rows, those of ``setup``, of a table with as many rows as the first argument says."""
    table = _tensor(opened(getattr(student, name)(*case.args)))
    if table.dim() != 2 or len(table) != case.args[0]:
        raise CheckFailed(f"{name}({case.args[0]}, …) must have {case.args[0]} rows")
    return table[case.setup["rows"]]


def after_steps(student: Any, case: Case, name: str) -> list[bool]:
    """Whether results differ from call to call where the last argument, a table, is changed in place between them.

    Of a table kept by its address or its shape the first one's numbers are used in all calls.
    """
    function, refilled = getattr(student, name), student.tool(FETCH + "refilled")
    given, found = [*map(student.keep, case.args)], []
    for factor in (1.0, -1.0, 2.0):
        refilled(given[-1], factor * case.args[-1])
        found.append(plain(opened(function(*given)), lambda other: None))
    return [difference(one, two, (1e-9, 1e-9)) is not None for one, two in pairwise(found)]


def rows_turned(student: Any, case: Case) -> list[Any]:
    """Queries and keys, turned by one table of angles in two calls."""
    *rows, angles = case.args
    return [opened(student.apply_rotary(x, angles)) for x in rows]


def both_turned(student: Any, case: Case) -> list[Any]:
    """The same, and then a call that is always the same: four ways are right, but one must hold in all calls."""
    return [*rows_turned(student, case), opened(student.apply_rotary(*way_shown()))]


def turned_in_training(student: Any, case: Case) -> list[Any]:
    """The same as both_turned, where queries and keys ask for gradients; the angles and the last call do not."""
    *rows, angles = case.args
    return both_turned(student, replace(case, args=(*(x.clone().requires_grad_() for x in rows), angles)))


def turned_out_of_training(student: Any, case: Case, tool: str = "without_gradients") -> list[Any]:
    """The same as both_turned, where queries and keys come from calls that keep no gradients, each the second one.

    The last call keeps them, so that one way must hold in both.
    """
    *rows, angles = case.args
    alone, found = student.tool(FETCH + tool), []
    for x in rows:
        given = [student.keep(one) for one in (x, angles)]
        found.append([alone(student.apply_rotary, given, {}) for _ in range(2)][-1])
    return [*opened(found), opened(student.apply_rotary(*way_shown()))]


def slopes_and_way(student: Any, case: Case, inner: bool) -> list[Any]:  # noqa: FBT001 (options stand in a file by place)
    """Gradients of the sum of turned queries with respect to them, and the call that shows which way is taken.

    Args:
        inner: whether the queries are a result, as in a model.
    """
    slopes = Ask("slopes", ("apply_rotary", [0], "", inner))(student, case)
    if type(slopes) is not list:
        raise CheckFailed("no gradient comes back to x")
    return [*slopes, opened(student.apply_rotary(*way_shown()))]


def way_shown() -> tuple[Tensor, Tensor]:
    """Queries (1, 1, 2, 4) and angles (2, 2) that the four right ways turn into different ones."""
    x = torch.tensor([[0.5, -1.0, 0.25, 2.0], [1.0, -0.5, 2.0, 0.75]], dtype=torch.float64)
    return x[None, None], torch.tensor([[0.0, 0.0], [1.0, 0.5]], dtype=torch.float64)


def kind(student: Any, case: Case) -> str:
    """The number type of turned queries."""
    x, _, angles = case.args
    return str(_tensor(opened(student.apply_rotary(x, angles))).dtype)


def fineness(student: Any, case: Case) -> int:
    """How many bits the numbers of the angles have; more than 32 count as 32."""
    dtype = _tensor(student.rotary_angles(*case.args)).dtype
    return min(torch.finfo(dtype).bits, 32) if dtype.is_floating_point else 0


def on_meta(student: Any, case: Case, of: str) -> str | bool:
    """The device of angles that are made on one without numbers; of "turned", whether what is turned by them is there too."""
    length, d, base, device = case.args
    if of == "angles":
        student.rotary_angles(
            length, d, base, torch.device("cpu")
        )  # what is kept of it must not come for another device
        angles = student.rotary_angles(length, d, base, torch.device(device))
        if not (is_handle(angles) or isinstance(angles, Tensor)):
            raise CheckFailed("rotary_angles must return a tensor")
        return str(angles.device.type)
    angles = student.keep(torch.zeros(length, d // 2)).to(torch.device(device))
    turned = student.apply_rotary(angles.new_empty([2, 3, length - 1, d]), angles)
    if not (is_handle(turned) or isinstance(turned, Tensor)):
        raise CheckFailed("apply_rotary must return a tensor")
    return str(turned.device.type) == str(angles.device.type)


def _tensor(value: Any) -> Tensor:
    if not isinstance(value, Tensor):
        raise CheckFailed("the result is no tensor")
    return value


def moved(case: Case, matrix: Any) -> Tensor:
    """What a matrix (d, d) makes of the positions (n, d) that the case holds: any matrix that moves them is right."""
    places = case.setup["places"]
    if not isinstance(matrix, Tensor) or matrix.shape != (places.shape[1],) * 2 or not matrix.is_floating_point():
        raise CheckFailed("the matrix needs the shape (d, d) and floating-point numbers")
    return places @ matrix.to(places.dtype).T
