"""How the check of notebook 05's language model asks, and what it compares: parameters, logits, gradients, dropout.

What comes out at the places of PAD is free, so it is set to 0 before anything is compared. Dropout is random: its outputs
cross the wall as they are, and whether they have the law of the text is computed here.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor, nn

from course_utils.checks.asking import built, require_slopes, sent
from course_utils.checks.compare import CheckFailed
from course_utils.checks.draws import Case
from course_utils.checks.fetch import derived, fetches
from course_utils.checks.weights import unpacked
from course_utils.lessons.transfer import PAD

HERE = "course_utils.lessons.text_model_ways."
CHANCE = 1e-9  # bound on the chance that one share of random draws is called wrong
NEAR = 1e-4  # rounding of a single number


# ------------------------------------------------------------------------------------------------- ways to ask


def parameters_of(student: Any, case: Case, name: str) -> Any:
    """The parameters of a fresh module by name: their shapes, and whether they are trained."""
    made = getattr(student, name)(*sent(student, case.setup["sizes"]))
    return student.tool("course_utils.lessons.transfer_probes.shapes")(made)


def fresh_embeddings(student: Any, case: Case, name: str) -> bool:
    """True; the case is a seed. Raises CheckFailed where embedding tables of two fresh models are not drawn as promised."""
    V, _, D = case.setup["sizes"][:3]
    tables = student.tool(HERE + "fresh_tables")(getattr(student, name), case.setup["sizes"], case.args[0])
    if not all(isinstance(table, Tensor) and table.shape == (V, D) for table in tables):
        raise CheckFailed("base.embedding.weight must have the shape (n_tokens, d_model)")
    one, two = (table[PAD + 1 :].double() * math.sqrt(D) for table in tables)  # the row of PAD may be 0
    if not all(0.85 < float(part.std()) < 1.15 for part in (one, two, *one.tensor_split(4))):
        raise CheckFailed("the embedding's numbers have another standard deviation than 1/√D")
    if abs(float(one.mean())) > 0.15 or len(one.unique()) < 0.9 * one.numel():
        raise CheckFailed("the embedding's numbers are not drawn one by one around 0")
    if any(bool((table[:, :1] == table).all(1).any()) for table in (one, two)):
        raise CheckFailed(
            "the embedding's row of a token holds one number alone: SOS, EOS and UNK are tokens like others"
        )
    if float((one == two).double().mean()) > 0.1:
        raise CheckFailed("two models have the same embedding: each must be drawn anew")
    return True


def in_turn(student: Any, case: Case, name: str) -> Any:
    """What one module gives for all arguments in turn, with gradients and without them.

    ``setup`` may hold ``other``: sizes and weights of a second module, which is asked before.
    """
    made = built(student, case, name, training=False)
    if other := case.setup.get("other"):
        student.tool(HERE + "outputs")(built(student, Case(setup=other), name, training=False), list(case.args))
    return student.tool(HERE + "outputs")(made, list(case.args))


def of_copy(student: Any, case: Case, name: str) -> Any:
    """What a deep copy of a module gives once all parameters of the module itself are 0."""
    made = built(student, case, name, training=False)
    return student.tool(HERE + "copied")(made, case.args[0])


def slopes_at(student: Any, case: Case, name: str) -> Any:
    """Gradients of all parameters by name: of the outputs times the case's ``at``, where that is not 0, added up."""
    made = built(student, case, name, training=False)
    found = student.tool(HERE + "slopes_of")(made, case.args[0], case.setup["at"])
    return require_slopes(found, list(found.values()) if type(found) is dict else None)


def in_training(student: Any, case: Case, name: str, calls: int = 1) -> Any:
    """Outputs in training mode for ``rows`` equal rows: (rows, T, C), or (calls, rows, T, C) for several calls.

    The case is (ids (1, T), generator). The generator gives the state of the one with which the student's process draws.
    """
    made, generator = built(student, case, name, training=True), sent(student, case.args[1])
    seed = int(torch.randint(2**40, (1,), generator=generator))
    found = student.tool(HERE + "drawn")(made, case.args[0], case.setup["rows"], seed, calls)
    shape = (calls, case.setup["rows"], case.args[0].shape[1], case.setup["sizes"][1])
    if not (isinstance(found, Tensor) and found.shape == shape):
        raise CheckFailed("the logits must have the shape (B, T, n_classes)")
    return found if calls > 1 else found[0]


def input_in_training(student: Any, case: Case, name: str) -> bool:
    """True. Raises CheckFailed where the layers' input is neither left as it is nor dropped entry by entry with the rate.

    The case is that of :func:`in_training`, with ``level`` (D,), the input at every place. Its weights make the layers add
    nothing and the head the identity.
    """
    found, level = in_training(student, case, name, 2), case.setup["level"]  # (calls, rows, T, D)
    rate = float(case.setup["sizes"][-1])
    if bool(((found - level).abs() < NEAR).all()):
        return True
    gone = found.abs() < NEAR
    kept = (found - level / (1 - rate)).abs() < NEAR if rate < 1 else torch.zeros_like(gone)
    if not bool((kept | gone).all()):
        raise CheckFailed("a number of the input is neither dropped nor divided by 1 − rate")
    share = kept.double()
    if not credible(share, 1 - rate):
        raise CheckFailed("the input is dropped with another rate")
    pairs = [share.unflatten(axis, (-1, 2)).unbind(axis + 1) for axis in range(4)]  # calls, rows, places, entries
    if not all(credible((a == b).double(), rate**2 + (1 - rate) ** 2) for a, b in pairs):
        raise CheckFailed("the entries of the input are not dropped each on its own")
    return True


def credible(hits: Tensor, share: float) -> bool:
    """Whether the mean of independent hits may be that of the share ``share`` (Hoeffding's bound)."""
    reach = math.sqrt(math.log(2 / CHANCE) / 2 / hits.numel())
    return abs(float(hits.mean()) - share) <= reach


# --------------------------------------------------------------------------------------- on the student's side


@fetches("a fresh model's numbers are drawn where it is made")
def fresh_tables(make: Callable[..., Any], sizes: Sequence[Any], seed: int) -> list[Tensor]:
    """Embedding tables (V, D) of two fresh models; the global generator is left as it was."""
    with torch.random.fork_rng(devices=[]):
        torch.default_generator.manual_seed(seed)
        return [make(*sizes).base.embedding.weight.detach().clone() for _ in range(2)]


@fetches("gradients can only be switched off where the module is")
def outputs(module: nn.Module, inputs: Sequence[Tensor]) -> dict[str, list[Tensor]]:
    """Outputs for all inputs in turn, with gradients and without, as they are after the last call."""
    tracked = [module(x) for x in inputs]
    with torch.no_grad():
        alone = [module(x) for x in inputs]
    return {"with gradients": [y.detach().clone() for y in tracked], "without gradients": [y.clone() for y in alone]}


@fetches("a module is copied where it is")
def copied(module: nn.Module, x: Tensor) -> Tensor:
    """Output of a deep copy, after the parameters of the module were set to 0."""
    twin = copy.deepcopy(module)
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.zero_()
        return twin(x)


@fetches("gradients can only be computed where the graph is")
def slopes_of(module: nn.Module, x: Tensor, at: Tensor) -> dict[str, Tensor | None]:
    """Gradients with respect to all parameters, under the course's names, of ``(module(x) * at).sum()``.

    Where ``at`` is 0 nothing is multiplied, since a result that is not used may be NaN there.
    """
    result = module(x)
    total = (result[at != 0] * at[at != 0]).sum()
    names, values = zip(*module.named_parameters(), strict=True)
    found = derived(total, values)
    if any(one is None for one in found):
        return dict(zip(names, found, strict=True))
    return dict(unpacked({name: one for name, one in zip(names, found, strict=True) if one is not None}))


@fetches("dropout is drawn where the module is")
def drawn(module: nn.Module, x: Tensor, rows: int, seed: int, calls: int) -> Tensor:
    """(calls, rows, T, C): outputs for ``rows`` copies of x (1, T); the global generator is left as it was."""
    with torch.random.fork_rng(devices=[]), torch.no_grad():
        torch.default_generator.manual_seed(seed)
        return torch.stack([module(x.expand(rows, -1)) for _ in range(calls)])


# -------------------------------------------------------------------------------------------- what is compared


def at_tokens(case: Case, value: Any) -> Any:
    """Outputs (B, T, C), or a dictionary with lists of them, with 0 at the places of PAD."""
    if isinstance(value, dict):
        return {key: _each_at_tokens(case.args, rows) for key, rows in value.items()}
    return _each_at_tokens(case.args, [value])[0]


def _each_at_tokens(inputs: Sequence[Tensor], values: Sequence[Any]) -> list[Any]:
    return [
        torch.where((x != PAD)[..., None], value, 0.0)
        if isinstance(value, Tensor) and value.dim() == 3 and value.shape[:2] == x.shape
        else value
        for x, value in zip(inputs, values, strict=True)
    ]


def row_by_row(case: Case, value: Tensor) -> Tensor:
    """Outputs of equal rows, (B, T, C), as B draws of T·C features."""
    return value.flatten(1)
