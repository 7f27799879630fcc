"""A stand-in for the translator of notebook 02, and what the student's functions bring about with it.

Its logits depend on all words so far, their order and their places, and on all digits with theirs. In training mode they are
halved, in place of dropout. What comes back is compared with what the same stand-in gives to the oracle.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor, nn

from course_utils.checks.asking import opened, sent
from course_utils.checks.compare import CheckFailed
from course_utils.checks.draws import Case, Draw
from course_utils.checks.fetch import fetches
from course_utils.corpora.numbers import EOS, PAD

HERE = "course_utils.lessons.translator_probes."
WIDTH = 6


def probe_weights(d: Draw, V: int, S: int, places: int, dtype: torch.dtype = torch.float64) -> dict[str, Tensor]:
    """Weights of a :class:`TranslatorProbe` with V words, S source symbols and room for so many places of the target."""
    shapes = {"source": (S, WIDTH), "reading": (WIDTH, WIDTH), "words": (V, WIDTH), "places": (places, WIDTH),
              "older": (WIDTH, WIDTH), "head": (WIDTH, V), "bias": (V,)}  # fmt: skip
    weights = {name: d.normal(*shape, dtype=dtype) for name, shape in shapes.items()}
    weights["head"][:, PAD], weights["bias"][PAD] = 0.0, -99.0  # no target asks for PAD, so a translator never says it
    return weights


@fetches("a translator whose outputs the judge knows must stand where the student's functions use it")
class TranslatorProbe(nn.Module):
    """Digits and words to logits (B, T, V), with given weights, and gradients from before.

    Args:
        weights: see :func:`probe_weights`; there are positions for as many tokens as ``places`` has rows.
        training: the mode that it is in.
    """

    def __init__(self, weights: Mapping[str, Tensor], training: bool = False) -> None:  # noqa: FBT001, FBT002 (sent by place)
        super().__init__()
        self.parts = nn.ParameterDict({name: nn.Parameter(value.clone()) for name, value in weights.items()})
        for parameter in self.parts.values():
            parameter.grad = torch.full_like(parameter, 0.05)
        self.train(training)

    def encode(self, source: Tensor) -> Tensor:
        """(B, Ls) ids -> memory (B, Ls, D)."""
        x = self.parts["source"][source]
        return torch.tanh(x + x.flip(1) @ self.parts["reading"])  # every place sees another one

    def decode(self, words: Tensor, memory: Tensor, source: Tensor) -> Tensor:
        """(B, T) ids, memory (B, Ls, D) and its source -> logits (B, T, V)."""
        y = self.parts["words"][words] + self.parts["places"][: words.shape[1]]
        t = torch.arange(words.shape[1], dtype=y.dtype)
        mixing = (
            torch.cos(t[:, None] + 2.3 * t).tril(-1) / (t[:, None] + 1).sqrt()
        )  # (T, T): older words, none forgotten
        place = torch.arange(1, 1 + source.shape[1], dtype=y.dtype)
        share = (source != PAD) * torch.cos(1.7 * place) / place.sqrt()  # (B, Ls)
        read = (share[..., None] * memory).sum(1, keepdim=True)  # (B, Ls, D) -> (B, 1, D)
        states = torch.tanh(y + mixing @ (y @ self.parts["older"]) + read)
        logits = 1.5 * states @ self.parts["head"] + self.parts["bias"]  # (B, T, V)
        return 0.5 * logits if self.training else logits

    def forward(self, source: Tensor, words: Tensor) -> Tensor:
        """Encode and decode in one go: logits (B, T, V)."""
        return self.decode(words, self.encode(source), source)


def sentences(d: Draw, B: int, T: int, V: int) -> Tensor:
    """Target ids (B, T): words, one EOS anywhere, then PAD; the first of several rows fills all places, the last at most half."""
    target = d.ids(B, T, low=2, high=V - 1)
    for row in range(B):
        first, last = row == 0 and B > 1, row == B - 1 and B > 1
        end = T - 1 if first else d.whole(0, (T - 1) // 2) if last else d.whole(0, T - 1)
        target[row, end], target[row, end + 1 :] = EOS, PAD
    return target


def learned(student: Any, case: Case, name: str) -> dict[str, Any]:
    """The loss of a stand-in, its gradients with respect to all weights, and the stand-in afterwards. Raises CheckFailed."""
    given = [sent(student, value) for value in case.args]
    found = student.tool(HERE + "loss_and_slopes")(getattr(student, name), given)
    if type(found) is not dict or type(found.get("slopes")) is not dict:
        raise CheckFailed(
            "the loss must be a tensor of one number that was computed from the model's logits: no gradient flows"
        )
    return found


@fetches("gradients exist where the loss was computed")
def loss_and_slopes(loss_of: Callable[..., Tensor], given: Sequence[Any]) -> dict[str, Any]:
    """What the loss is, its gradients by name (None for weights that it does not depend on), the model as it is left."""
    model = given[0]
    loss = loss_of(*given)
    left = state_of(model)
    if not (isinstance(loss, Tensor) and loss.requires_grad and loss.numel() == 1):
        return {"loss": None, "slopes": None}
    names, weights = zip(*model.named_parameters(), strict=True)
    slopes = torch.autograd.grad(loss.sum(), weights, allow_unused=True)
    return {"loss": loss.detach().clone(), "slopes": dict(zip(names, slopes, strict=True)), "left": left}


def left_alone(student: Any, case: Case, name: str) -> Any:
    """A stand-in as the function leaves it, where gradients are computed and where not; it is the case's first argument."""
    found = []
    for on in (True, False):
        model, *given = (sent(student, value) for value in case.args)
        found.append(student.tool(HERE + "after")(getattr(student, name), model, given, on))
    return found


def encodings(student: Any, case: Case, name: str) -> int:
    """How often a stand-in that counts it has encoded by the end of a call; it is the case's first argument."""
    model, *given = (sent(student, value) for value in case.args)
    getattr(student, name)(model, *given)
    return student.tool(HERE + "encoded")(model)


@fetches("a stand-in counts where it is")
def encoded(model: Any) -> int:
    """The count of a :class:`course_utils.lessons.blocks.MindfulProbe`."""
    return model.encodes


def after_another(student: Any, case: Case, name: str) -> Any:
    """The translation after one of another source of the same size, which ``setup`` has as ``before``."""
    function, (model, source, *rest) = getattr(student, name), [sent(student, value) for value in case.args]
    function(model, case.setup["before"], *rest)
    return function(model, source, *rest)


def after_training(student: Any, case: Case, name: str) -> Any:
    """The result for the case after a call with the same arguments, between which the model's weights have changed."""
    function, given = getattr(student, name), [sent(student, value) for value in case.args]
    return opened(student.tool(HERE + "asked_anew")(function, given))


@fetches("a model is the same one after its weights have changed only where it is")
def asked_anew(function: Callable[..., Any], given: Sequence[Any]) -> Any:
    """The function's second result, for a model whose weights were turned round since the first; no gradients are kept.

    Each call has lists of its own: one that is changed has a promise of its own.
    """

    def asked() -> Any:
        return function(*(list(value) if type(value) is list else value for value in given))

    with torch.no_grad():
        asked()
        for parameter in given[0].parameters():
            parameter.copy_(parameter.flip(0) if parameter.dim() > 1 else parameter)
        return asked()


@fetches("a model's mode, weights and gradients are where the model is")
def after(function: Callable[..., Any], model: nn.Module, given: Sequence[Any], on: bool) -> dict[str, Any]:  # noqa: FBT001 (sent by place)
    """The model after a call, gradients being computed or not (``on``), and whether they are afterwards."""
    before = torch.is_grad_enabled()
    torch.set_grad_enabled(on)
    next(model.parameters()).requires_grad = False  # one is not trained, so that switching all on would be seen
    try:
        function(model, *given)
        return state_of(model) | {"gradients are on": torch.is_grad_enabled()}
    finally:
        torch.set_grad_enabled(before)


def state_of(model: nn.Module) -> dict[str, Any]:
    """Mode, weights and gradients; which weights are trained."""
    named = dict(model.named_parameters())
    return {
        "training": model.training,
        "weights": {name: value.detach().clone() for name, value in named.items()},
        "gradients": {name: None if value.grad is None else value.grad.clone() for name, value in named.items()},
        "trained": {name: value.requires_grad for name, value in named.items()},
    }
