"""Helpers of notebook 02: weights of the student's modules by name, counted FLOPs, a model with known outputs."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor, nn
from torch.utils.flop_counter import FlopCounterMode

from course_utils.checks.asking import built, opened, require_each, sent
from course_utils.checks.compare import CheckFailed, require_finite
from course_utils.checks.draws import Case
from course_utils.checks.fetch import fetches, slopes
from course_utils.checks.weights import (
    PROJECTIONS,
    canonical_weights,
    load_canonical,
    random_weights,
    weight_shapes,
)
from course_utils.corpora.numbers import PAD

PLACES = 40_000  # where dropout is looked at: the share of a pattern is known to 1 in 400
LAGS = (1, 2, 3, 4)  # calls for which a mask may be used again
MOST_ROWS = 500  # of one call: a module may take them one by one, and the record of forbidden calls grows with that

__all__ = [
    "PROJECTIONS",
    "MindfulProbe",
    "attention_flops",
    "canonical_weights",
    "drawn_outputs",
    "dropout_law",
    "field_of",
    "in_turn",
    "load_canonical",
    "of_itself",
    "random_weights",
    "require_weights",
    "slopes_of_all",
    "spoken",
    "weight_shapes",
    "with_weights",
]


@fetches("outputs of the student's module under weights that the judge drew")
def with_weights(
    make: Callable[..., nn.Module], sizes: Sequence[Any], weights: Mapping[str, Tensor], inputs: Sequence[Any],
    training: bool = False,  # noqa: FBT001, FBT002 (checks of version 0.1 pass it by place)
) -> Tensor:  # fmt: skip
    """Build ``make(*sizes)``, load ``weights`` by name, and return its output on ``inputs`` without gradients."""
    module = make(*sizes).train(training)
    load_canonical(module, weights)
    with torch.no_grad():
        return module(*inputs)


def require_weights(c: Any, shapes: Mapping[str, Sequence[int]], weights: Mapping[str, Tensor]) -> None:
    """Fail the running check ``c`` unless a module's ``shapes`` (see weight_shapes) are those of ``weights``.

    The hints name only the weights of the exercise's text: a student's own names must not reach the feedback.
    """
    for name, value in weights.items():
        c.that(name in shapes, f"your module has no weight named {name}: give its parts the names of the text")
        want = tuple(value.shape)
        c.that(tuple(shapes[name]) == want, f"the weight {name} has another shape than {want}, which these sizes need")
    c.that(shapes.keys() <= weights.keys(), "your module has weights that the text does not ask for")


def field_of(case: Case, shifts: Sequence[Sequence[int]]) -> list[Any]:
    """What distances bring about: layers, heads of each layer, and the number of positions that an output depends on."""
    return [*shape_of(case, shifts), len(sums(shifts))]


def shape_of(case: Case, shifts: Sequence[Sequence[int]]) -> list[Any]:
    """Layers and heads of each layer. Raises CheckFailed if they are not the case's, or a distance is no whole number."""
    layers, heads = case.args
    found = [len(shifts), [len(row) for row in shifts]]
    if found != [layers, [heads] * layers]:
        raise CheckFailed("return one list per layer with one distance per head")
    if any(type(step) is not int for row in shifts for step in row):
        raise CheckFailed("distances are whole numbers")
    return found


def room_of(case: Case, shifts: Sequence[Sequence[int]]) -> list[Any]:
    """What distances of many layers and heads must bring about, without going through all sums.

    Returns:
        Layers, heads of each layer, whether there are as many whole numbers between the least and the largest sum as sums,
        and for each run of layers with at most 5,000 sums whether all of them differ.
    """
    layers, heads = case.args
    found = shape_of(case, shifts)
    span = sum(max(0, *row) - min(0, *row) for row in shifts)
    run = max(1, int(math.log(5000, heads + 1)))
    runs = [shifts[start : start + run] for start in range(max(1, layers - run + 1))]
    return [*found, span + 1 >= (heads + 1) ** layers, [len(sums(rows)) == (heads + 1) ** len(rows) for rows in runs]]


def sums(shifts: Sequence[Sequence[int]]) -> set[int]:
    """All sums of one distance, or none, from each layer."""
    field = {0}
    for row in shifts:
        field |= {back + step for back in field for step in row}
    return field


def loud(case: Case, factor: float) -> Case:
    """The case with hidden numbers of the network times ``factor``, and a second layer that divides by it again."""
    weights = case.setup["weights"]
    changed = {name: value * factor for name, value in weights.items() if name.startswith("linear1")}
    changed["linear2.weight"] = weights["linear2.weight"] / factor
    return Case(case.args, setup={**case.setup, "weights": {**weights, **changed}})


def dropout_law(student: Any, case: Case, name: str) -> tuple[Any, ...]:
    """What a block in training makes of one row (D,) at many places, called twice: which results, how often, how alike.

    Batch and length are drawn, from the row alone; ``setup`` may name the ``length``, and the number of ``places``: fewer
    for short texts, since an answer that takes the rows of a batch one by one needs a millisecond for each.
    The case's weights leave of each step its last bias alone, so that each pattern of dropped entries gives one result.

    Returns:
        The different results (each projected to one number), their shares of all places, and the shares of places whose
        pattern is that of the next position, of the next row, and of the call that is so many calls away, for LAGS.
    """
    made = built(student, case, name, training=True)
    L = case.setup.get("length") or random.Random(repr(case.args[0].tolist())).randint(24, 64)
    B = case.setup.get("places", PLACES) // L
    tool = student.tool("course_utils.lessons.blocks.drawn_outputs")
    counts = [min(MOST_ROWS, B - first) for first in range(0, B, MOST_ROWS)]
    drawn = [tool(made, case.args[0], count, L, seed) for seed, count in enumerate(2 * counts)]
    for one, count in zip(drawn, 2 * counts, strict=True):
        if not (isinstance(one, Tensor) and one.shape == (count, L, len(case.args[0]))):
            raise CheckFailed("forward must return one tensor, (B, L, D)")
    require_finite(*drawn)
    found = torch.cat(drawn).unflatten(0, (2, B))  # (2·B, L, D) -> (2, B, L, D)
    codes = found.double() @ torch.tensor([1.0, 0.43, 0.19], dtype=torch.float64)  # (2, B, L, D) -> (2, B, L)
    ordered, order = codes.flatten().sort()
    level = torch.cat([torch.zeros(1), (ordered.diff() > 1e-4).double()]).cumsum(0).long()
    if (count := int(level[-1]) + 1) > 1000:
        raise CheckFailed("entries of the steps' results are neither dropped nor kept")
    sizes = level.bincount()
    means = torch.zeros(count, dtype=torch.float64).index_add(0, level, ordered) / sizes
    pattern = torch.empty_like(level).scatter(0, order, level).view(codes.shape)
    inside = torch.arange(1, B) % MOST_ROWS != 0  # (B - 1,): a row and the one before are of one call
    rows = (pattern[:, 1:][:, inside], pattern[:, :-1][:, inside])
    calls = pattern.flatten(0, 1).split(2 * counts)  # of each call (count, L)
    pairs = [(pattern[..., 1:], pattern[..., :-1]), rows, *(_calls_apart(calls, lag) for lag in LAGS)]
    return means, sizes / len(level), [(a == b).double().mean().item() if a.numel() else 0.0 for a, b in pairs]


def _calls_apart(calls: Sequence[Tensor], lag: int) -> tuple[Tensor, Tensor]:
    """Patterns of all pairs of calls of one size that are so many calls apart, one behind the other."""
    pairs = [(a, b) for a, b in zip(calls, calls[lag:], strict=False) if a.shape == b.shape] or [(torch.empty(0),) * 2]
    first, second = (torch.cat([part.flatten() for part in parts]) for parts in zip(*pairs, strict=True))
    return first, second


@fetches("dropout is drawn where the module is")
def drawn_outputs(module: nn.Module, row: Tensor, batch: int, length: int, seed: int) -> Tensor:
    """(B, L, D): the module on ``row`` (D,) at every place; the global generator is left as it was."""
    with torch.random.fork_rng(devices=[]), torch.no_grad():
        torch.default_generator.manual_seed(seed)
        return module(row.expand(batch, length, -1))


def in_turn(student: Any, case: Case, name: str) -> list[Any]:
    """Results of one module with the case's arguments, without the last one (a mask), and with all of them again."""
    made = built(student, case, name, training=False)
    return [opened(made(*args)) for args in (case.args, case.args[:-1], case.args)]


def calls_in_turn(student: Any, case: Case, name: str) -> list[Any]:
    """Results of one function with the case's arguments, without the last one (a mask), and with all of them again."""
    function = getattr(student, name)
    return [opened(function(*args)) for args in (case.args, case.args[:-1], case.args)]


def lengths_in_turn(student: Any, case: Case, name: str) -> list[Any]:
    """Results of one layer for the case, for the beginning of its first argument (B, L, D) alone, and for another part.

    Then of another one, which is given the beginning first.
    """
    (y, *rest), results = case.args, []
    parts = (y, y[:, : -(-y.shape[1] // 3)], y[:, y.shape[1] // 2 :])  # (B, L, D), (B, L/3, D), (B, L/2, D)
    for order in ((0, 1, 2), (1, 0, 2)):
        made = built(student, case, name, training=False)
        results += [opened(made(parts[index], *rest)) for index in order]
    return results


def kept_counts(student: Any, case: Case, name: str) -> list[float]:
    """Mean and variance of the number of entries that a block in training keeps, over calls with one input."""
    made, x = built(student, case, name, training=True), case.args[0]
    found = student.tool("course_utils.lessons.blocks.drawn_in_calls")(made, x, case.setup["calls"])
    if not (isinstance(found, Tensor) and found.shape == (case.setup["calls"], *x.shape)):
        raise CheckFailed("forward must return one tensor, (B, L, D)")
    require_finite(found)
    kept = ((found - x).abs() > 0.5).flatten(1).sum(1).double()
    return [float(kept.mean()), float(kept.var())]


@fetches("dropout is drawn where the module is")
def drawn_in_calls(module: nn.Module, x: Tensor, calls: int) -> Tensor:
    """(calls, B, L, D): results for x; the global generator is left as it was."""
    with torch.random.fork_rng(devices=[]), torch.no_grad():
        torch.default_generator.manual_seed(0)
        return torch.stack([module(x) for _ in range(calls)])


def kept_slopes(student: Any, case: Case, name: str) -> float:
    """How far gradients of a bias are from the sums over kept entries that the result of the same call shows.

    ``setup`` has as ``bias`` the name of the one that alone gives something.
    """
    made, x = built(student, case, name, training=True), case.args[0]
    found = student.tool("course_utils.lessons.blocks.result_and_slope")(made, x, case.setup["bias"])
    if not (type(found) is list and len(found) == 2 and all(isinstance(one, Tensor) for one in found)):
        raise CheckFailed("no gradient comes back to the bias of a step")
    if found[0].shape != x.shape:
        raise CheckFailed("forward must return one tensor, (B, L, D)")
    rate = case.setup["sizes"][3]
    require_finite(*found)
    kept = ((found[0] - x).abs() > 0.5).double() / (1 - rate)
    return float((kept.sum((0, 1)) - found[1].double()).abs().max())


@fetches("gradients can only be computed where the graph is")
def result_and_slope(module: nn.Module, x: Tensor, name: str) -> list[Any]:
    """The result of a call, and the gradient of its sum with respect to the bias of this name."""
    with torch.random.fork_rng(devices=[]):
        torch.default_generator.manual_seed(0)
        out = module(x)
    bias = dict(module.named_parameters(remove_duplicate=False))[name]
    return [out.detach(), torch.autograd.grad(out.sum(), bias)[0] if out.requires_grad else None]


def modes_in_turn(student: Any, case: Case, name: str) -> list[Any]:
    """The result in evaluation of a block that was called in training, and whether it then drops in training again."""
    made = built(student, case, name, training=True)
    given = [sent(student, value) for value in case.args]
    return student.tool("course_utils.lessons.blocks.quiet_then_dropping")(made, given)


@fetches("dropout is drawn where the module is")
def quiet_then_dropping(module: nn.Module, given: Sequence[Any]) -> list[Any]:
    """The result in evaluation after a call in training, and whether later calls in training differ from it."""
    with torch.random.fork_rng(devices=[]), torch.no_grad():
        torch.default_generator.manual_seed(0)
        module(*given)
        quiet = module.eval()(*given)
        module.train()
        later = [module(*given) for _ in range(4)]
    tensors = all(isinstance(one, Tensor) for one in (quiet, *later))
    return [quiet, tensors and any(one.isfinite().all() and not torch.equal(one, quiet) for one in later)]


def of_itself(student: Any, case: Case, name: str, training: bool = False) -> Any:  # noqa: FBT001, FBT002 (options stand in a file by place)
    """The result of a module whose first two arguments are one tensor, not two equal ones; the case has it twice."""
    made, x = built(student, case, name, training=training), student.keep(case.args[0])
    return opened(made(x, x, *case.args[2:]))


def slopes_of_all(student: Any, case: Case, name: str) -> Any:
    """Gradients of a fixed mixture of the results with respect to each tensor of the case's only argument, a list."""
    found = student.tool("course_utils.lessons.blocks.listed_slopes")(getattr(student, name), case.args[0])
    return require_each(found, range(len(case.args[0])))


@fetches("gradients can only be computed where the graph is")
def listed_slopes(function: Callable[[list[Tensor]], Any], tensors: Sequence[Tensor]) -> list[Any]:
    """Gradients with respect to each tensor of a list that is the function's argument."""
    return slopes(lambda *given: function(list(given)), tensors, range(len(tensors)))


def attention_flops(queries: int, keys: int, width: int, heads: int = 1) -> int:
    """FLOPs that PyTorch's counter reports for one multi-head attention (batch 1), projections included.

    Large sizes run on the meta device, which computes shapes only; small ones on the CPU, since the meta device takes
    seconds to load. ``need_weights`` prevents a fused kernel, for which the counter reports 0.
    """
    device = "cpu" if max(queries, keys, width) <= 128 else "meta"
    attention = nn.MultiheadAttention(width, heads, batch_first=True, device=device)
    x = torch.empty(1, queries, width, device=device)
    memory = x if keys == queries else torch.empty(1, keys, width, device=device)
    with FlopCounterMode(display=False) as counter:
        attention(x, memory, memory, need_weights=True)
    return counter.get_total_flops()


def spoken(case: Case, value: Any) -> Any:
    """Ids (B, n) as (B, max_words), filled with PAD; a list of them, too. The case's last argument is ``max_words``."""
    if isinstance(value, list | tuple):
        return [spoken(case, words) for words in value]
    most = case.args[-1]
    if not (isinstance(value, Tensor) and value.dim() == 2 and value.shape[1] <= most):
        raise CheckFailed("a translation holds word ids, (B, n) with n at most max_words, without the tag")
    return nn.functional.pad(value, (0, most - value.shape[1]), value=PAD)


def open_rows(case: Case, value: Any) -> Any:
    """Gradients with respect to scores (…, Lq, Lk), the case's first argument, with 0 in rows whose mask has no key."""
    scores, mask = case.args
    closed = ~mask.expand(scores.shape).any(-1, keepdim=True)  # (…, Lq, 1)
    if type(value) is not list or any(not isinstance(one, Tensor) or one.shape != scores.shape for one in value):
        return value
    return [one.masked_fill(closed, 0.0) for one in value]


@fetches("a translator whose outputs the judge knows must stand where the student's functions use it")
class MindfulProbe(nn.Module):
    """A stand-in for a translator that minds all words so far: each adds to the scores, the older the less.

    It is a module with parameters, since a model may be asked for its device, its parts and their modes; its outputs are the
    same in training and in evaluation.

    Args:
        tables: (2, V, V) scores of the next word given the previous one, and given an older one.
        bias: (n, S, V) what each source symbol adds at the first, second … call of ``encode``; the last one stays.
    """

    def __init__(self, tables: Tensor, bias: Tensor) -> None:
        super().__init__()
        self.tables, self.bias, self.encodes = nn.Parameter(tables), nn.Parameter(bias), 0

    def encode(self, source: Tensor) -> Tensor:
        """(B, Ls) ids -> memory (B, Ls, V), another one with each call while ``bias`` has more."""
        self.encodes += 1
        return self.bias[min(self.encodes, len(self.bias)) - 1][source]

    def decode(self, words: Tensor, memory: Tensor, source: Tensor) -> Tensor:
        """(B, T) ids, memory and its source -> logits (B, T, V)."""
        places = torch.arange(1, 1 + source.shape[1], dtype=memory.dtype)
        read = (memory * (1 / places)[:, None]).sum(1, keepdim=True) + self.bias[0][source].mean(1, keepdim=True)
        distance = torch.arange(words.shape[1])[:, None] - torch.arange(words.shape[1])
        fading = (0.8**distance).to(memory.dtype).masked_fill(distance < 1, 0.0)  # (T, T), older words alone
        return self.tables[0][words] + fading @ self.tables[1][words] + read  # (B, T, V)

    def forward(self, source: Tensor, words: Tensor) -> Tensor:
        """Encode and decode in one go: logits (B, T, V)."""
        return self.decode(words, self.encode(source), source)
