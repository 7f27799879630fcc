"""How the check of ELMo asks (notebook 06): it fills in weights by what they are for, whatever the student calls them.

The text fixes the kinds of layers, and leaves names, the width E of word vectors and sharing between the directions free. So
weights are drawn such that these change no result: each word has one number a, which is spread over E numbers along a
vector r, and an LSTM reads it back along r. All embeddings get one table, all linear layers one matrix.
"""

from __future__ import annotations

import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor, nn

from course_utils.checks.asking import FETCH, WEIGHTS, is_handle, opened, require_slopes
from course_utils.checks.compare import CheckFailed, difference, plain, require_finite
from course_utils.checks.draws import Case, Draw
from course_utils.checks.fetch import fetches

HERE = "course_utils.lessons.elmo_ways."
LSTM = re.compile(r"(.*)((?:weight|bias)_[ih]h)(.*)")  # torch's names: weight_ih_l0, weight_hh_l0_reverse, bias_ih, …
MOVED = 1e-6  # a state that depends on a changed token moves by more, one that does not by nothing
LAYERS = "word vectors come from an nn.Embedding, and logits from an nn.Linear(width, vocab_size)"
Reader = dict[str, Tensor]  # inputs (4W,), recurrent (4W, W), biases (4W,) of one LSTM


def texts(d: Draw, B: int, T: int, V: int, pad: int, shortest: int = 1) -> Tensor:
    """Ids (B, T) below V, padded on the right with ``pad``: no row full, rows of any length, or all full."""
    ids = d.ids(B, T, low=0, high=V - 2)
    ids += ids >= pad
    longest = max(shortest, T - 2) if (how := d.each("short", "any", "full")) == "short" else T
    lengths = [T if how == "full" else d.whole(min(shortest, T), longest) for _ in range(B)]
    if how == "any":
        lengths[d.whole(0, B - 1)] = T
    return ids.masked_fill(torch.arange(T) >= torch.tensor(lengths)[:, None], pad)


# ------------------------------------------------------------------------------------------------------------ weights


@dataclass(frozen=True)
class Drawn:
    """Weights of one case, by what they are for.

    Attributes:
        words: one number per word, (V,).
        readers: the LSTM from the left and the one from the right.
        matrix, biases: of the linear layers, (V, W) and (V,).
    """

    words: Tensor
    readers: tuple[Reader, Reader]
    matrix: Tensor
    biases: Tensor


def drawn(seed: int, V: int, W: int) -> Drawn:
    """Weights from a seed. Every other unit keeps what it has read, so that far tokens count."""
    rng = random.Random(seed)

    def numbers(*shape: int, scale: float = 1.0) -> Tensor:
        count = torch.Size(shape).numel()
        return torch.tensor([rng.uniform(-scale, scale) for _ in range(count)]).view(shape)

    def reader() -> Reader:
        # gates in torch's order: input, forget, cell, output
        inputs, recurrent, biases = numbers(4, W), numbers(4, W, W, scale=W**-0.5), numbers(4, W)
        # these units let little in, of either sign, and forget nothing: no sum of 150 saturates
        inputs[:2, ::2] *= 0.2
        recurrent[:3, ::2] *= 0.2
        biases[:3, ::2] *= 0.2
        biases[:2, ::2] += torch.tensor([-4.0, 9.0])[:, None]
        return {"inputs": inputs.flatten(), "recurrent": recurrent.flatten(0, 1), "biases": biases.flatten()}

    return Drawn(numbers(V, scale=2.0), (reader(), reader()), numbers(V, W), numbers(V))


def along(E: int) -> Tensor:
    """The vector r (E,) along which a word's number is spread."""
    rng = random.Random(E)
    return torch.tensor([rng.choice((-1, 1)) * rng.uniform(0.5, 1.5) for _ in range(E)])


@dataclass(frozen=True)
class Roles:
    """Names of a module's parameters by what they are for; ``readers`` by torch's names of an LSTM's parameters."""

    readers: list[dict[str, str]]
    tables: list[str]
    matrices: list[str]

    def weights(self, parts: Drawn, readers: Sequence[Reader], sizes: Mapping[str, Sequence[int]]) -> dict[str, Tensor]:
        """All weights by name, for a module whose parameters have these shapes."""
        found = {}
        for names, reader in zip(self.readers, readers, strict=True):
            r = along(sizes[names["weight_ih"]][1])
            found[names["weight_ih"]] = torch.outer(reader["inputs"], r / (r @ r))  # (4W, E)
            found[names["weight_hh"]] = reader["recurrent"]
            found[names["bias_ih"]], found[names["bias_hh"]] = 0.3 * reader["biases"], 0.7 * reader["biases"]
        for name in self.tables:
            found[name] = torch.outer(parts.words, along(sizes[name][1]))  # (V, E)
        for name in self.matrices:
            found[name], found[_bias(name)] = parts.matrix, parts.biases
        return found

    def gathered(self, slopes: Mapping[str, Tensor]) -> tuple[Tensor, ...]:
        """Gradients by name as those of what was drawn: words, two readers of three parts each, matrix, biases."""
        found = [sum(slopes[name] @ along(slopes[name].shape[1]) for name in self.tables)]
        for names in self.readers:
            r = along(slopes[names["weight_ih"]].shape[1])
            biases = 0.3 * slopes[names["bias_ih"]] + 0.7 * slopes[names["bias_hh"]]
            found += [slopes[names["weight_ih"]] @ r / (r @ r), slopes[names["weight_hh"]], biases]
        found += [sum(slopes[name] for name in self.matrices), sum(slopes[_bias(name)] for name in self.matrices)]
        return tuple(torch.as_tensor(one) for one in found)


def _bias(name: str) -> str:
    return name.removesuffix("weight") + "bias"


def roles(shapes: Mapping[str, Sequence[int]], V: int, W: int) -> Roles:
    """What each parameter is for, by its shape and torch's names. Raises CheckFailed where they are not as the text says."""
    readers: dict[tuple[str, str], dict[str, str]] = {}
    rest = {name: tuple(shape) for name, shape in shapes.items()}
    for name in shapes:
        if match := LSTM.fullmatch(name):
            readers.setdefault((match[1], match[3]), {})[match[2]] = name
            rest.pop(name)
    matrices = [name for name, shape in rest.items() if shape == (V, W) and rest.get(_bias(name)) == (V,)]
    rest = {name: shape for name, shape in rest.items() if name not in {*matrices, *map(_bias, matrices)}}
    tables = [name for name, shape in rest.items() if len(shape) == 2 and shape[0] == V]
    _require(
        len(readers) == 2, f"each direction needs one LSTM layer of its own; your module has {len(readers)} in all"
    )
    _require(tables and matrices, LAYERS)
    foreign = next((shape for name, shape in rest.items() if name not in tables), None)
    _require(foreign is None, f"your module has weights that the text does not ask for, some of shape {foreign}")
    widths = {shapes[name][1] for name in tables}
    for names in readers.values():
        _require(len(names) == 4, "an LSTM has two matrices and two vectors of biases")
        fits = tuple(shapes[names["weight_hh"]]) == (4 * W, W) and shapes[names["weight_ih"]][1] in widths
        _require(fits, "each LSTM has `width` units and reads the word vectors alone")
    return Roles(list(readers.values()), tables, matrices)


def _require(condition: object, sentence: str) -> None:
    if not condition:
        raise CheckFailed(sentence)


# --------------------------------------------------------------------------------------------------------------- ways


class _Model:
    """A module of the student's class with the case's weights.

    ``setup`` has sizes (V, W, pad), seed, training, and ``loud``, the size of the linear layers' weights.
    """

    def __init__(self, student: Any, case: Case, name: str) -> None:
        V, W, self.pad = case.setup["sizes"]
        self.made, self.width = getattr(student, name)(V, W, self.pad), W
        _require(is_handle(self.made), f"{name}(…) must give a module")
        self.shapes = student.tool(WEIGHTS + "shapes_of")(self.made)
        self.roles, self.parts = roles(self.shapes, V, W), drawn(case.setup["seed"], V, W)
        self.parts = replace(self.parts, matrix=self.parts.matrix * case.setup.get("loud", 1.0))
        readers = self.parts.readers
        if self._second_is_forward(student):
            self.roles.readers.reverse()
        self.module = self._filled(student, readers, training=case.setup.get("training", False))

    def _filled(self, student: Any, readers: Sequence[Reader], *, training: bool) -> Any:
        weights = self.roles.weights(self.parts, readers, self.shapes)
        return student.hold(student.tool(WEIGHTS + "filled"), self.made, weights, training)

    def _second_is_forward(self, student: Any) -> bool:
        """Whether the first half of the states comes from the second LSTM: with weights 0 the first one's states are 0."""
        silent = {name: torch.zeros_like(value) for name, value in self.parts.readers[0].items()}
        module = self._filled(student, (silent, self.parts.readers[1]), training=False)
        answer = opened(module(torch.tensor([[int(self.pad == 0)]])))
        states = answer[2] if type(answer) in (tuple, list) and len(answer) == 3 else None
        if not isinstance(states, Tensor) or tuple(states.shape) != (1, 1, 2 * self.width):
            return False  # what is wrong with it is said where results are compared
        return bool(states[..., : self.width].any()) and not bool(states[..., self.width :].any())


def answered(student: Any, case: Case, name: str) -> Any:
    """The results for the case's ids, with its weights; after calls with the ids in ``before``, if there are any.

    What those calls gave, where no gradients are kept, must be the same afterwards; and the results must be the same there.
    """
    module = _Model(student, case, name).module
    alone = student.tool(FETCH + "without_gradients")
    kept = [student.hold(alone, module, [other], {}) for other in case.setup.get("before", ())]
    before = [plain(opened(student.fetch(one))) for one in kept]
    result = opened(module(case.args[0]))
    if kept and difference(plain(opened(alone(module, [case.args[0]], {}))), plain(result), (1e-4, 1e-4)) is not None:
        raise CheckFailed("where no gradients are kept, the results are others")
    if any(
        difference(plain(opened(student.fetch(one))), was) is not None for one, was in zip(kept, before, strict=True)
    ):
        raise CheckFailed("what an earlier call has returned is another thing after a later one")
    return result


def at_tokens(case: Case, value: Any) -> Any:
    """The results with 0 at padded positions, where anything may stand."""
    ids, pad = case.args[0], case.setup["sizes"][2]
    if type(value) not in (tuple, list) or any(not isinstance(x, Tensor) or x.shape[:2] != ids.shape for x in value):
        return value
    return tuple(
        torch.where((ids != pad).view(*ids.shape, *[1] * (x.dim() - 2)), x, torch.zeros_like(x)) for x in value
    )


def moves(student: Any, case: Case, name: str) -> dict[str, list[bool]]:
    """What moves when one token is changed, under the weights that the class begins with.

    The case is (ids, the same with another token, its row, its place). For each result: whether it moves before that place,
    at it, behind it, and in other rows.
    """
    V, W, pad = case.setup["sizes"]
    ids, other, row, s = case.args
    model = student.hold(student.tool(WEIGHTS + "filled"), getattr(student, name)(V, W, pad), {}, False)  # noqa: FBT003
    one, two = (at_tokens(case, opened(model(x))) for x in (ids, other))
    shapes = [tuple(x.shape) if isinstance(x, Tensor) else () for x in one] if type(one) in (tuple, list) else []
    _require(
        shapes == [(*ids.shape, size) for size in (V, V, 2 * W)],
        "the shapes must be (B, T, V), (B, T, V), (B, T, 2·width)",
    )
    parts = [*zip(one[:2], two[:2], strict=True), *zip(one[2].split(W, -1), two[2].split(W, -1), strict=True)]
    require_finite(*(part for pair in parts for part in pair))
    found = {}
    names = ("forward logits", "backward logits", "first half of the states", "second half of the states")
    for what, (x, y) in zip(names, parts, strict=True):
        gap = (x - y).detach().abs().amax(-1) > MOVED  # (B, T)
        rows = [gap[row, :s], gap[row, s], gap[row, s + 1 :], gap[torch.arange(len(ids)) != row]]
        found[what] = [bool(part.any()) for part in rows]
    return found


def slopes(student: Any, case: Case, name: str) -> list[tuple[Tensor, ...]]:
    """Gradients of each of the three results, in a mixture that the case gives, with respect to what was drawn."""
    model = _Model(student, case, name)
    found = student.tool(HERE + "part_slopes")(model.module, case.args[0], list(case.args[1:]))
    require_slopes(found, found)
    lost = "no gradient comes back through one of the results: leave out detach, no_grad and .data"
    _require(type(found) is list and all(_fit(one, model.shapes) for one in found), lost)
    return [model.roles.gathered(one) for one in found]


def _fit(found: Any, shapes: Mapping[str, Sequence[int]]) -> bool:
    """Whether gradients came for all weights of these shapes."""
    values = [found.get(name) for name in shapes] if type(found) is dict else [None]
    sizes = [tuple(value.shape) if isinstance(value, Tensor) else None for value in values]
    return sizes == [tuple(shape) for shape in shapes.values()]


@fetches("gradients can only be computed where the graph is")
def part_slopes(module: nn.Module, ids: Tensor, upstream: Sequence[Tensor]) -> list[dict[str, Tensor] | None]:
    """Per result the gradients of (result · upstream).sum() by name, 0 where it depends on none; None if cut off."""
    parameters, found = list(module.named_parameters(remove_duplicate=False)), list[dict[str, Tensor] | None]()
    leaves = list({id(p): p for _, p in parameters if p.requires_grad}.values())
    for part, weights in zip(module(ids), upstream, strict=True):
        total = (part * weights)[weights != 0].sum()
        if not total.requires_grad:
            found.append(None)
            continue
        got = torch.autograd.grad(total, leaves, retain_graph=True, allow_unused=True, materialize_grads=True)
        own = {id(p): slope for p, slope in zip(leaves, got, strict=True)}
        # a layer with two names has its gradient under the first one
        found.append({name: own.pop(id(p), torch.zeros_like(p)) for name, p in parameters})
    return found
