"""Promises about classes with parameters: weights by name or in order, modes, gradients, memory, arguments from tools."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import Tensor, nn

from course_utils.checks.casefile import Entry, from_json, to_json
from course_utils.checks.fetch import fetcher, fetches
from course_utils.checks.promised import answers_of
from course_utils.checks.promises import (
    Case,
    Draw,
    Made,
    Named,
    all_gradients,
    call,
    close,
    layouts,
    module,
    promise,
    promises,
    repeatable,
    unchanged,
)
from course_utils.checks.selfcheck import Student
from course_utils.checks.verdict import broken


class Gate(nn.Module):
    """x + drop(gain(x)), the reference."""

    def __init__(self, width: int, rate: float = 0.0) -> None:
        super().__init__()
        self.gain, self.drop = nn.Linear(width, width), nn.Dropout(rate)

    def forward(self, x: Tensor) -> Tensor:
        return x + self.drop(self.gain(x))


def case(d: Draw, rate: float = 0.0, order: bool = False) -> Case:
    rows, width = d.sizes(rows=(1, 5), width=(2, 6))
    weights = d.weights(Gate(width))
    setup = {"sizes": (width,), "options": {"rate": rate}, "weights": list(weights.values()) if order else weights}
    return Case((d.normal(rows, width, dtype=torch.float32),), setup=setup)


DECLARED = promises(
    reference={"Gate": Gate},
    ask=module("Gate"),
    agree=close(1e-5),
    always=(unchanged, repeatable, layouts, all_gradients),
    kept=[
        promise("x plus the gate", "q", case),
        promise("weights in order", "q", lambda d: case(d, order=True)),
        promise("evaluation drops nothing", "q", lambda d: case(d, rate=0.5)),
        promise("a rate of 1 drops all of the gate and nothing of x", "q", lambda d: case(d, rate=1.0),
                ask=module("Gate", training=True), trouble=False),
    ],
)  # fmt: skip


def lost(made: Any, declared: Any = DECLARED) -> list[str]:
    listed = tuple(declared.listed())
    trials = tuple(t for number in range(len(listed)) for t in declared.trials(number, 0, small=True))
    entry = from_json(to_json(Entry("x", listed, trials, ())))
    names = made if isinstance(made, dict) else {"Gate": made}
    return [listed[number].sentence for number in broken(answers_of(entry, Student(lambda: names)))]


class Otherwise(nn.Module):
    def __init__(self, width: int, rate: float = 0.0) -> None:
        super().__init__()
        self.rate, self.gain = rate, nn.Linear(width, width)

    def forward(self, x: Tensor) -> Tensor:
        keep = torch.rand(x.shape) >= self.rate if self.training else torch.ones(())
        return x + torch.where(keep.bool(), self.gain(x) / max(1 - self.rate * self.training, 1e-9), 0.0)


class OtherNames(Gate):
    def __init__(self, width: int, rate: float = 0.0) -> None:
        nn.Module.__init__(self)
        self.linear, self.drop = nn.Linear(width, width), nn.Dropout(rate)

    def forward(self, x: Tensor) -> Tensor:
        return x + self.drop(self.linear(x))


class DropsTheSum(Gate):
    def forward(self, x: Tensor) -> Tensor:
        return self.drop(x + self.gain(x))


class AlwaysDrops(Gate):
    def forward(self, x: Tensor) -> Tensor:
        return x + nn.functional.dropout(self.gain(x), self.drop.p)


class Remembers(Gate):
    last: Any = 0.0

    def forward(self, x: Tensor) -> Tensor:
        out, self.last = super().forward(x) + self.last, 0.1
        return out


class Detaches(Gate):
    def forward(self, x: Tensor) -> Tensor:
        return x + self.drop(nn.functional.linear(x, self.gain.weight, self.gain.bias.detach()))


class OnlyIfTheInputAsks(Gate):
    def forward(self, x: Tensor) -> Tensor:
        with torch.set_grad_enabled(x.requires_grad):
            return super().forward(x)


class OnlyIfTheWeightsAsk(Gate):
    def forward(self, x: Tensor) -> Tensor:
        with torch.set_grad_enabled(self.gain.bias.requires_grad):
            return super().forward(x)


class InPlace(Gate):
    def forward(self, x: Tensor) -> Tensor:
        out = super().forward(x)
        if not x.requires_grad:
            x += 1
        return out


@pytest.mark.parametrize("right", [Gate, Otherwise])
def test_right_classes_pass(right):
    assert lost(right) == []


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        (OtherNames, "x plus the gate"),
        (DropsTheSum, "a rate of 1 drops all of the gate and nothing of x"),
        (AlwaysDrops, "evaluation drops nothing"),
        (Remembers, repeatable.rule),
        (Detaches, all_gradients.rule),
        (OnlyIfTheInputAsks, all_gradients.rule),
        (OnlyIfTheWeightsAsk, all_gradients.rule),
        (InPlace, unchanged.rule),
        (lambda width, rate: 3, "x plus the gate"),
    ],
)
def test_wrong_classes_break_their_promise(wrong, sentence):
    assert sentence in lost(wrong)


def test_weights_in_order_do_not_ask_for_names():
    assert "weights in order" not in lost(OtherNames)


@fetches("a stand-in")
class Doubler:
    """A model that a case passes to the student's function."""

    def __init__(self, factor: float) -> None:
        self.factor = factor

    def __call__(self, x: Tensor) -> Tensor:
        return self.factor * x


def test_arguments_may_be_made_by_tools_and_may_be_the_students_own_names(monkeypatch):
    monkeypatch.setattr(
        "course_utils.checks.student.fetcher", lambda path: Doubler if path == "tests.Doubler" else fetcher(path)
    )
    declared = promises(
        reference={"applied": lambda model, f, x: f(model(x)), "helper": lambda x: x + 1},
        ask=call("applied"),
        kept=[promise("applied", "q", [(Made("tests.Doubler", (2.0,)), Named("helper"), torch.ones(2))])],
    )
    names = {"applied": lambda model, f, x: f(model(x)), "helper": lambda x: 1 + x}
    assert lost(names, declared) == []
    assert lost(names | {"helper": lambda x: x}, declared) != []
