"""Forecast of a training's time and memory on this machine, within ten seconds.

A few real steps of a temporary model at three widths give the seconds of a step as a function of its width (tokens per
row); the widths of all batches follow from the lengths of the rows.
"""

from __future__ import annotations

import math
import random
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import cycle

import numpy as np
import torch

from course_utils.config import ModelConfig, Profile, TrainConfig
from course_utils.device import random_state, restore_random_state
from course_utils.engine.engine import Engine, pick_engine
from course_utils.engine.epochs import ItemDataset
from course_utils.errors import CourseError
from course_utils.model import GPT, PAD_ID
from course_utils.optim import make_optimizers
from course_utils.train import training_step

PARTS = ("pretrain", "finetune", "scratch")
Clock = Callable[[], float]  # seconds
Probe = Callable[[int], float]  # width of a batch -> seconds of one step


@dataclass(frozen=True)
class Forecast:
    """Steps, minutes and memory of a training here; memory is the peak of the process (on a GPU: of the device), in MiB."""

    steps: int
    minutes: float
    memory_mib: float

    def __str__(self) -> str:
        return f"{self.steps} steps, about {self.minutes:.1f} minutes and {self.memory_mib:.0f} MiB"


def preflight(
    profile: Profile,
    lengths: Mapping[str, Iterable[int]],
    vocab_size: int = 256,
    *,
    engine: Engine | None = None,
    seconds: float = 10.0,
    clock: Clock = time.perf_counter,
) -> dict[str, Forecast]:
    """Forecasts for the named trainings of a profile ("pretrain", "finetune", "scratch").

    Args:
        profile: sizes, batches and steps.
        lengths: for each training, tokens in each of its rows, padding not counted (see `row_lengths`).
        vocab_size: characters of the corpus.
        engine: device and number format; as `train` picks them if not given.
        seconds: time limit of all measurements together; a machine that cannot make six steps in it takes longer.
        clock: the measure of time; `time.process_time` does not count other programs.

    Raises:
        CourseError: an unknown training, no rows, or a row longer than the block.
    """
    engine = engine or pick_engine()
    forecasts = {}
    for name, rows in lengths.items():
        if name not in PARTS:
            raise CourseError(f"A profile has no training {name!r}; choose among {', '.join(PARTS)}.")
        config: TrainConfig = getattr(profile, name)
        shapes = batch_shapes(list(rows), config, profile.model.block_size, whole=engine.device.type == "cuda")
        probe = Steps(replace(profile.model, vocab_size=vocab_size), config, engine, clock)
        forecasts[name] = forecast(shapes, config, probe, seconds / len(lengths), probe.memory_mib)
    return forecasts


def row_lengths(source: ItemDataset | torch.Tensor) -> list[int]:
    """Tokens in every row of a dataset (its x), or of X (N, T), padding at the end not counted."""
    rows: Iterable[torch.Tensor] = source if isinstance(source, torch.Tensor) else _first(source)
    return [int(row.ne(PAD_ID).nonzero().max()) + 1 if row.ne(PAD_ID).any() else 1 for row in rows]


def _first(dataset: ItemDataset) -> Iterator[torch.Tensor]:
    return (dataset[i][0] for i in range(len(dataset)))


def batch_shapes(
    lengths: Sequence[int], config: TrainConfig, block_size: int, *, whole: bool = False
) -> list[tuple[int, int]]:
    """(rows, width) of each micro-batch of an epoch, as `course_utils.train` forms them; `whole` as on a GPU."""
    if not lengths:
        raise CourseError("A forecast needs the lengths of the rows; the list is empty.")
    if max(lengths) > block_size:
        raise CourseError(f"A row of {max(lengths)} tokens is longer than the block of {block_size}; shorten it.")
    ordered = sorted(lengths) if config.micro_batches == 1 else random.Random(0).sample(lengths, len(lengths))
    chunks = [
        torch.tensor(sorted(ordered[i : i + config.batch_size])) for i in range(0, len(lengths), config.batch_size)
    ]
    split = [rows for chunk in chunks for rows in chunk.chunk(1 if whole else config.micro_batches)]
    return [(len(rows), int(rows.max())) for rows in split]


def forecast(
    shapes: Sequence[tuple[int, int]],
    config: TrainConfig,
    probe: Probe,
    seconds: float,
    memory_mib: Callable[[], float],
) -> Forecast:
    """Time full steps of the narrowest, middle and widest batch in turn, and sum the predicted time of all batches."""
    widths = [width for _, width in shapes]
    at = sorted({min(widths), sorted(widths)[len(widths) // 2], max(widths)})
    samples: dict[int, list[float]] = {width: [] for width in at}
    spent = 0.0
    for width in cycle(at):
        samples[width].append(probe(width))
        spent += samples[width][-1]
        if spent >= seconds and all(len(s) > 1 for s in samples.values()):
            break
    # without the first step of each shape, which allocates buffers; the mean, because a busy machine stays busy
    typical = [float(np.mean(samples[width][1:])) for width in at]
    filled = np.array([rows for rows, _ in shapes]) / config.batch_size  # the last batch of an epoch has fewer rows
    epoch = float((np.interp(widths, at, typical) * np.minimum(filled, 1.0)).sum())
    per_epoch = math.ceil(sum(rows for rows, _ in shapes) / config.batch_size)
    steps = config.steps or (config.epochs or 0) * per_epoch
    return Forecast(steps, epoch / per_epoch * steps / 60, memory_mib())


class Steps:
    """Training steps of a temporary model on random tokens; the program's random state is restored."""

    def __init__(self, model: ModelConfig, config: TrainConfig, engine: Engine, clock: Clock) -> None:
        kept, self.clock = random_state(), clock
        self.vocab_size, self.rows, self.engine = model.vocab_size, config.batch_size, engine
        gpt = GPT(model)
        engine.prepare(gpt)
        update = partial(training_step, gpt, make_optimizers(gpt, config, graph=engine.graph), config, engine, PAD_ID)
        self.update = engine.capture(update, config.batch_size, model.block_size, PAD_ID)
        restore_random_state(kept)

    def __call__(self, width: int) -> float:
        """Seconds of one step on a batch of this width."""
        kept = random_state()
        x = torch.randint(1, self.vocab_size, (self.rows, width), device=self.engine.device)  # (B, t)
        start = self.clock()
        value = self.update(x, x)
        value.item()  # waits until a GPU has done the work
        taken = self.clock() - start
        restore_random_state(kept)
        return taken

    def memory_mib(self) -> float:
        """Peak memory so far in MiB; after a step at the widest batch about that of the training. NaN on Windows."""
        if self.engine.device.type == "cuda":
            return torch.cuda.max_memory_allocated(self.engine.device) / 2**20
        try:
            import resource
        except ImportError:  # Windows has no such module
            return math.nan
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
