"""The quality gate: a faster step may be claimed only if it learns as much as the slower one.

The handout's step (a) and the course's train the same small model for the same number of steps with the same optimiser and
rate, each with several seeds; for both the loss of the same held-out rows is measured, in evaluation mode and float32.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor, nn
from tqdm.auto import tqdm

from benchmarks.speed import handout
from benchmarks.speed.contenders import Setting
from benchmarks.speed.handout import HandoutGPT
from course_utils.config import TrainConfig
from course_utils.engine.engine import pick_engine
from course_utils.metrics import t_quantile
from course_utils.model import GPT, evaluating, loss
from course_utils.train import train
from solutions.reference.span_corruption import corrupted_epochs

HELD_OUT_SEED = 987  # used by no training
POINTS = 4  # points on the curve


@dataclass(frozen=True)
class Curves:
    """Held-out losses in nats (natural logarithm) per token, for each seed and point."""

    steps: list[int]
    handout: list[list[float]]
    ours: list[list[float]]

    def to_json(self) -> dict[str, Any]:
        """Curves and verdict."""
        return {
            "steps": self.steps,
            "handout": self.handout,
            "ours": self.ours,
            "excess": self.excess(),
            "allowed": self.allowed(),
            "passed": self.passed,
        }

    def excess(self) -> list[float]:
        """The mean loss of ours minus that of the handout at each point, in nats; negative where ours is better."""
        return [statistics.fmean(o) - statistics.fmean(a) for o, a in zip(*self._columns(), strict=True)]

    def allowed(self) -> list[float]:
        """The difference of two means of the same method that is exceeded by chance in one case of 20, at each point."""
        n, m = len(self.ours), len(self.handout)
        t = t_quantile(0.975, n + m - 2)
        pooled = [
            ((n - 1) * statistics.variance(o) + (m - 1) * statistics.variance(a)) / (n + m - 2)
            for o, a in zip(*self._columns(), strict=True)
        ]
        return [t * math.sqrt(v * (1 / n + 1 / m)) for v in pooled]

    @property
    def passed(self) -> bool:
        """Whether the excess is at no point larger than allowed."""
        return all(e <= a for e, a in zip(self.excess(), self.allowed(), strict=True))

    def _columns(self) -> tuple[list[tuple[float, ...]], list[tuple[float, ...]]]:
        """For each point the losses of all seeds, of ours and of the handout."""
        return list(zip(*self.ours, strict=True)), list(zip(*self.handout, strict=True))


def gate(setting: Setting, steps: int = 120, seeds: Sequence[int] = (0, 1, 2, 3), progress: bool = True) -> Curves:
    """Both curves, `steps` steps each, at `POINTS` equally spaced places.

    Raises:
        ValueError: fewer than three seeds, or steps that do not divide into the points.
    """
    if len(seeds) < 3 or steps % POINTS:
        raise ValueError(f"at least three seeds, and a multiple of {POINTS} steps")
    held_out = next(corrupted_epochs(setting.documents, setting.vocab, setting.size.block_size, HELD_OUT_SEED))
    held_out = held_out[0][:256], held_out[1][:256]
    handouts, mine = [], []
    for seed in tqdm(seeds, disable=not progress, desc="quality gate", unit="seed"):
        handouts.append(_handout_curve(setting, steps, seed, held_out))
        mine.append(_our_curve(setting, steps, seed, held_out))
    return Curves([steps * (i + 1) // POINTS for i in range(POINTS)], handouts, mine)


def _handout_curve(setting: Setting, steps: int, seed: int, held_out: tuple[Tensor, Tensor]) -> list[float]:
    """The curve of (a), with one optimiser for all steps."""
    torch.manual_seed(seed)
    model = HandoutGPT(setting.size).to(setting.device)
    feed, curve = handout.batches(setting.items(seed), setting.config.batch_size), []

    class Watch:
        """An iterator of batches that measures the loss after each 1/POINTS of the steps; the loop of (a) is unchanged."""

        def __init__(self) -> None:
            self.drawn = 0

        def __iter__(self) -> Watch:
            return self

        def __next__(self) -> tuple[Tensor, Tensor]:
            if self.drawn and self.drawn % (steps // POINTS) == 0:
                curve.append(_held_out_loss(model, held_out))
            self.drawn += 1
            return next(feed)

    handout.train_steps(model, Watch(), steps, setting.config.lr)
    return [*curve, _held_out_loss(model, held_out)]


def _our_curve(setting: Setting, steps: int, seed: int, held_out: tuple[Tensor, Tensor]) -> list[float]:
    """The curve of the course's loop with the handout's rate: constant, no warm-up."""
    torch.manual_seed(seed)
    model = GPT(setting.model_config)
    config = TrainConfig(
        batch_size=setting.config.batch_size,
        steps=steps,
        lr=setting.config.lr,
        warmup=0,
        schedule="constant",
        seed=seed,
        micro_batches=setting.config.micro_batches,
    )
    source = corrupted_epochs(setting.documents, setting.vocab, setting.size.block_size, seed, setting.device)
    curve: list[float] = []
    engine = pick_engine(setting.device)
    step = engine.step

    def watched(*args: Any, **kwargs: Any) -> None:
        step(*args, **kwargs)
        watched.made += 1  # type: ignore[attr-defined]
        if watched.made % (steps // POINTS) == 0:  # type: ignore[attr-defined]
            curve.append(_held_out_loss(model, held_out))

    watched.made = 0  # type: ignore[attr-defined]
    engine.step = watched  # type: ignore[method-assign]
    train(model, source, config, progress=False, engine=engine)
    return curve


@torch.no_grad()
def _held_out_loss(model: nn.Module, held_out: tuple[Tensor, Tensor]) -> float:
    """Nats per token that is not padding, in evaluation mode; all modes are restored."""
    device = next(model.parameters()).device
    x, y = (t.to(device) for t in held_out)
    with evaluating(model):
        return float(loss(model(x), y))


def small(setting: Setting) -> Setting:
    """A setting with which the gate takes half a minute on a CPU: 2 layers, 64 wide, blocks of 64, batches of 32."""
    size = replace(setting.size, block_size=64, n_layer=2, n_head=4, n_embd=64)
    return replace(setting, size=size, config=replace(setting.config, batch_size=32, lr=2e-3))
