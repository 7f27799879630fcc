"""Trainings for the checks of notebook 07: one runs in the student's process, and the judge repeats its steps."""

from __future__ import annotations

import math
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from course_utils.checks.fetch import fetches
from course_utils.config import ModelConfig, TrainConfig
from course_utils.data import Question
from course_utils.engine.engine import Engine
from course_utils.engine.graph import Step
from course_utils.model import GPT, PAD_ID
from course_utils.optim import lr_scale, make_optimizers, set_learning_rates
from course_utils.train import training_step
from course_utils.vocab import MASK, Vocabulary

CPU = torch.device("cpu")
Weights = Mapping[str, Tensor]


class Recorder(Engine):
    """An engine on the CPU, in float32, that records a copy of the batch of every step.

    Attributes:
        batches: (x, y) of every step.
        given: of each training what ``train`` was called with, by name.
        widest: tokens of the widest item that ``train`` was given.
    """

    def __init__(self) -> None:
        super().__init__(CPU)
        self.batches: list[tuple[Tensor, Tensor]] = []
        self.given: list[dict[str, Any]] = []
        self.widest = 0

    def prepare(self, model: nn.Module) -> None:
        """Prepare the model, and note the arguments of ``train``, which calls this."""
        self.given.append(dict(sys._getframe(1).f_locals))
        super().prepare(model)

    def lost(self, options: Mapping[str, Any]) -> list[str]:
        """Names of the options that some training was not given as they are; ``evaluate`` may be any function."""

        def arrived(got: Any, value: Any) -> bool:
            return callable(got) if callable(value) else type(got) is type(value) and bool(got == value)

        return [name for name, value in options.items() if not all(arrived(one.get(name), value) for one in self.given)]

    def capture(self, step: Step, rows: int, widest: int, pad: int) -> Step:
        """The step, which also records its batch."""
        self.widest = max(self.widest, widest)

        def recorded(x: Tensor, y: Tensor) -> Tensor:
            self.batches.append((x.clone(), y.clone()))
            return step(x, y)

        return recorded


class Padding(int):
    """The usual id of the padding, as a number that is told apart from the one that ``train`` takes by itself."""


def unused_options(folder: str) -> dict[str, Any]:
    """Options of ``train`` that change nothing in a short training, so that they must be passed on to be seen.

    ``progress`` is 0 and not False, so that a False that an answer wrote itself is told apart, too.
    """
    return {
        "evaluate": watched,
        "progress": 0,
        "pad": Padding(PAD_ID),
        "tag": "a training of the check",
        "resume": Path(folder) / "state",
    }


def listed(names: Sequence[str]) -> str:
    """The names in one sentence: "a", "a and b", "a, b and c"."""
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last


def watched(model: nn.Module) -> float:
    """A number that depends on the weights, in place of an accuracy: the sum of the first parameter's squares."""
    return float(next(model.parameters()).detach().double().square().sum())


@fetches(
    "a training must run where the student's functions are; it brings back weights and batches, which the judge repeats"
)
def trained(
    fit: Callable[..., Any], shape: ModelConfig, start: Weights, later: Sequence[Weights], frozen: Sequence[int], *arguments: Any
) -> dict[str, Any]:  # fmt: skip
    """Let ``fit(model, *arguments, **options)`` train a GPT that begins with the weights ``start``.

    For each of ``later`` the same model is given to it once more, with these weights; with those it then has, if there are
    none. The options are ``engine``, which records batches, and :func:`unused_options`. The parameters at the places
    ``frozen`` require no gradients.

    Returns:
        Of the last call the weights of the ``model`` that was passed in and of the one ``returned`` in a pair, the ``length``
        of such a tuple, whether a history is ``within`` one, ``loss`` and ``accuracy`` of the history (None without one),
        ``batches`` of int64 (B, t), which parameters ``learns``, whether ``train`` was ``called`` with the engine, which
        options were ``lost``, the ``widest`` item, whether lists were ``kept``.
    """
    model = GPT(shape)
    model.load_state_dict(dict(start))
    for place, parameter in enumerate(model.parameters()):
        parameter.requires_grad_(place not in frozen)
    lists = [(one, list(one)) for one in arguments if isinstance(one, list)]
    engine, lost, got = _last_of(fit, model, later, arguments)
    pair = got if isinstance(got, tuple | list) else None
    other, history = pair if pair is not None and len(pair) == 2 else (None, got)
    return {
        "model": dict(model.state_dict()),
        "returned": dict(other.state_dict()) if isinstance(other, nn.Module) else None,
        "length": None if pair is None else len(pair),
        "within": pair is not None and any(_numbers(part, "loss") is not None for part in pair),
        "loss": _numbers(history, "loss"),
        "accuracy": _numbers(history, "accuracy"),
        "batches": engine.batches,
        "learns": [parameter.requires_grad for parameter in model.parameters()],
        "called": bool(engine.given),
        "lost": lost,
        "widest": engine.widest,
        "kept": all(now == before for now, before in lists),
    }


def _last_of(fit: Callable[..., Any], model: nn.Module, later: Sequence[Weights], arguments: Sequence[Any]) -> Any:
    """The engine of the last of all calls, the options that it lost, and its result."""
    with tempfile.TemporaryDirectory() as folder:
        options = unused_options(folder)
        for weights in ({}, *later):
            if weights:
                model.load_state_dict(dict(weights))
            engine = Recorder()
            got = fit(model, *arguments, engine=engine, **options)
    return engine, engine.lost(options), got


@fetches("the items of the student's own dataset are made where it stands")
def own_items(made: Callable[..., Any], *arguments: Any) -> list[tuple[Tensor, Tensor]]:
    """All items of the dataset ``made(*arguments)``, after ``reseed(7)`` where it has one."""
    dataset = made(*arguments)
    if hasattr(dataset, "reseed"):
        dataset.reseed(7)
    return [dataset[k] for k in range(len(dataset))]


def _numbers(history: Any, name: str) -> list[float] | None:
    found = getattr(history, name, None)
    return [float(number) for number in found] if isinstance(found, list) else None


@dataclass(frozen=True)
class Replay:
    """The result of repeated steps: weights, loss of every step, and :func:`watched` after every epoch."""

    weights: dict[str, Tensor]
    loss: list[float]
    accuracy: list[float]


def replayed(shape: ModelConfig, start: Weights, batches: Any, config: TrainConfig, per_epoch: int) -> Replay | None:
    """Repeat every step of a training in the judge from the batches that came back; None if they are malformed.

    Args:
        per_epoch: steps of an epoch.
    """
    if not proper(batches, shape):
        return None
    model, engine = GPT(shape), Engine(CPU)
    model.load_state_dict(dict(start))
    engine.prepare(model)
    optimizers, loss, accuracy = make_optimizers(model, config), [], []
    total = config.steps or (config.epochs or 0) * per_epoch
    for step, (x, y) in enumerate(batches):
        set_learning_rates(optimizers, lr_scale(step, total, config))
        loss.append(float(training_step(model, optimizers, config, engine, PAD_ID, x, y)))
        if (step + 1) % per_epoch == 0 or step + 1 == total:
            accuracy.append(watched(model))
    return Replay({name: value.detach().clone() for name, value in model.state_dict().items()}, loss, accuracy)


def proper(batches: Any, shape: ModelConfig) -> bool:
    """Whether these are batches for a model of this shape: pairs x, y of int64 ids, (B, t) each."""
    return type(batches) is list and all(
        type(pair) in (tuple, list) and len(pair) == 2 and all(_ids(part, shape) for part in pair) and _alike(*pair)
        for pair in batches
    )


def _ids(part: Any, shape: ModelConfig) -> bool:
    if type(part) is not Tensor or part.dtype != torch.int64 or part.dim() != 2 or not part.numel():
        return False
    return part.shape[1] <= shape.block_size and int(part.min()) >= 0 and int(part.max()) < shape.vocab_size


def _alike(x: Tensor, y: Tensor) -> bool:
    return x.shape == y.shape


def apart(start: Weights, got: Any, want: Weights) -> float:
    """Distance of ``got`` from ``want``, divided by the distance of ``start`` from ``want``; infinite for other names or shapes.

    If ``want`` equals ``start``, the training shows nothing, and the result is infinite too.
    """
    if type(got) is not dict or set(got) != set(want):
        return math.inf
    if any(type(got[name]) is not Tensor or got[name].shape != want[name].shape for name in want):
        return math.inf
    way = _length([want[name] - start[name] for name in want])
    return _length([got[name] - want[name] for name in want]) / way if way > 1e-6 else math.inf


def _length(parts: Sequence[Tensor]) -> float:
    return math.sqrt(sum(float(part.double().square().sum()) for part in parts))


def draw_start(shape: ModelConfig, generator: torch.Generator) -> dict[str, Tensor]:
    """Random weights of a GPT by name, from this generator only."""
    model, scale = GPT(shape), 0.5 / math.sqrt(shape.n_embd)
    state = {name: value.detach().clone() for name, value in model.state_dict().items()}
    for name, value in state.items():
        if value.is_floating_point() and value.dim() > 1:
            state[name] = scale * torch.randn(value.shape, generator=generator)
    return state


def exact(batches: Sequence[tuple[Tensor, Tensor]], vocab: Vocabulary, questions: Sequence[Question]) -> bool:
    """Whether every row is one of the questions, MASK, its answer and MASK, with the loss on the answer and its end alone."""
    ends = {f"{q.text}{MASK}{q.answer}{MASK}": len(q.text) for q in questions}
    for x, y in batches:
        for row, target in zip(x, y, strict=True):
            text = vocab.decode([*row.tolist(), int(target[-1])]).rstrip(vocab.decode([vocab.pad_id]))
            learned = (target != PAD_ID).nonzero()[:, 0].tolist()  # (n, 1) -> (n,)
            if text not in ends or learned != list(range(ends[text], len(text) - 1)):
                return False
    return True


def among(batches: Sequence[tuple[Tensor, Tensor]], items: Any) -> bool:
    """Whether every row, PAD at its end or not, is one of these items (x, y)."""
    if type(items) is not list or not all(
        type(one) in (tuple, list) and len(one) == 2 and all(type(part) is Tensor and part.dim() == 1 for part in one)
        for one in items
    ):
        return False
    known = {tuple(map(_unpadded, one)) for one in items}
    rows = ((_unpadded(row), _unpadded(target)) for x, y in batches for row, target in zip(x, y, strict=True))
    return all(one in known for one in rows)


def _unpadded(ids: Tensor) -> tuple[int, ...]:
    there = (ids != PAD_ID).nonzero()[:, 0]  # (n, 1) -> (n,)
    return tuple(ids[: int(there[-1]) + 1].tolist()) if len(there) else ()


def asked(batches: Sequence[tuple[Tensor, Tensor]], vocab: Vocabulary, questions: Sequence[Question]) -> list[int]:
    """For every row of the batches the number of the question that it contains with its answer as the target, else -1.

    The text of a row is x and the last target; each target must be the next character of the text, or PAD. All characters
    of the answer, which follows the question, must be targets.
    """
    return [_asked(row, target, vocab, questions) for x, y in batches for row, target in zip(x, y, strict=True)]


def _asked(x: Tensor, y: Tensor, vocab: Vocabulary, questions: Sequence[Question]) -> int:
    text = vocab.decode([*x.tolist(), int(y[-1])])
    targets = [(at + 1, vocab.decode([token])) for at, token in enumerate(y.tolist()) if token != PAD_ID]
    if any(text[at] != letter for at, letter in targets):
        return -1
    learned, found = {at for at, _ in targets}, -1
    for k, q in enumerate(questions):
        at, letters = text.find(q.text), q.answer or ""
        answer = at + len(q.text) + len(MASK)
        if at >= 0 and text.startswith(letters, answer) and learned >= set(range(answer, answer + len(letters))):
            found = k
    return found
