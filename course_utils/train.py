"""The training loop: batches of similar length, one optimiser step after the other, a history to plot.

A training that is told where to keep its state (`resume=path`) survives Ctrl-C and worse: call it again with the same
arguments and it goes on where it was, on a CPU with the same numbers to the last bit.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from tqdm.auto import tqdm

from course_utils import runtime
from course_utils.checkpoint import load_state, remove_state, save_state
from course_utils.config import TrainConfig
from course_utils.data import ItemDataset, epoch_seed, materialise
from course_utils.errors import CourseError
from course_utils.model import PAD_ID, loss
from course_utils.muon import Muon
from course_utils.runtime import Engine, pick_engine, stop_signal

Epochs = Iterator[tuple[Tensor, Tensor]]


KEEP_EVERY = 30.0  # seconds between two states on disk: what a power cut can cost


class Interrupted(CourseError):
    """A training that was stopped before its end."""


@dataclass
class History:
    """What a training went through: loss per step in nats per token, result of `evaluate` per epoch, seconds."""

    loss: list[float] = field(default_factory=list)
    accuracy: list[float] = field(default_factory=list)
    seconds: float = 0.0

    @property
    def steps(self) -> int:
        """How many steps were made."""
        return len(self.loss)


def train(
    model: nn.Module,
    source: ItemDataset | Epochs,
    config: TrainConfig,
    *,
    evaluate: Callable[[nn.Module], float] | None = None,
    pad: int = PAD_ID,
    progress: bool = True,
    resume: str | Path | None = None,
    tag: str = "",
    engine: Engine | None = None,
) -> History:
    """Train `model` (ids (B, T) -> logits (B, T, V)) in place and return what happened.

    `source` is a dataset of items (x, y), each (T,), drawn afresh for every epoch, or an iterator of epochs (X, Y), each
    (N, T). `evaluate(model)` is asked after every epoch, in evaluation mode. With `resume`, the state is kept in that file
    every half minute and when the training is stopped; `tag` is any text that says what the state belongs to. The file is
    removed at the end. Raises Interrupted when stopped, CourseError when the source or the state does not fit.
    """
    engine = engine or pick_engine()
    epochs = _epochs(source, config, engine)
    X, Y = _next_epoch(epochs, 0)
    run = _begin(model, X, config, engine, pad, tag)
    run.resume(resume)
    epoch, step, silent = 0, 0, not progress or engine.team.rank > 0
    with stop_signal() as stopped, tqdm(total=run.total, initial=run.done, disable=silent, unit="step") as bar:
        while True:
            for x, y in batches(X, Y, config, epoch, pad):
                if step >= run.done:  # steps made before an interruption are passed over
                    run.step(x, y, step)
                    bar.update()
                    run.keep(resume, stopped())
                step += 1
                if step == run.total:
                    break
            run.evaluate(evaluate, epoch)
            epoch += 1
            if step == run.total:
                return run.finish(resume)
            X, Y = _next_epoch(epochs, epoch)


def _begin(model: nn.Module, X: Tensor, config: TrainConfig, engine: Engine, pad: int, tag: str) -> _Run:
    """A training at its first step; X (N, T) is an epoch, which tells how many steps there will be."""
    engine.prepare(model)
    total = config.steps or (config.epochs or 0) * math.ceil(len(X) / config.batch_size)
    run = _Run(model, make_optimizers(model, config, engine.graph), config, total, engine, pad, tag)
    run.update = engine.capture(run.update, config.batch_size, X.shape[1], pad)  # type: ignore
    return run


class _Run:
    """All that changes while training, in one place, so that it can be kept and taken up again."""

    def __init__(
        self,
        model: nn.Module,
        optimizers: list[torch.optim.Optimizer],
        config: TrainConfig,
        total: int,
        engine: Engine,
        pad: int,
        tag: str,
    ) -> None:
        self.model, self.optimizers, self.config, self.engine, self.pad = model, optimizers, config, engine, pad
        self.parameters = [p for p in model.parameters() if p.requires_grad]
        self.total, self.done, self.tag = total, 0, tag
        self.losses: list[Tensor] = []
        self.history = History()
        self.random: dict[str, Any] | None = None
        self.since = self.kept = time.monotonic()

    def step(self, x: Tensor, y: Tensor, number: int) -> None:
        """One step on the batch x, y (B, T)."""
        if self.random is not None:  # the first step after an interruption draws what it would have drawn
            runtime.restore_random_state(self.random)
            self.random = None
        for optimizer in self.optimizers:
            for group in optimizer.param_groups:
                rate = group["top_lr"] * lr_scale(number, self.total, self.config)
                group["lr"] = group["lr"].fill_(rate) if isinstance(group["lr"], Tensor) else rate
        self.losses.append(self.update(x, y))  # read later: reading a number now would make a GPU wait

    def update(self, x: Tensor, y: Tensor) -> Tensor:
        """Loss, gradients, new weights; the loss (). Everything here stays on the device."""
        team = self.engine.team
        x, y = team.share(x), team.share(y)  # all of the batch, unless several processes share it
        count = team.total(y.ne(self.pad).sum().float()).clamp(min=1)
        value = torch.zeros((), device=x.device)
        for px, py in pieces(x, y, self.config.parts, self.pad):
            with self.engine.autocast():
                logits = self.model(px)
            # a mean over the tokens of all pieces and processes, not a mean of their means
            share = loss(logits, py, self.pad) * (py.ne(self.pad).sum() / count)
            self.engine.backward(share)
            value = value + share.detach()
        self.engine.step(self.optimizers, self.parameters, self.config.clip)
        return team.total(value)

    def evaluate(self, evaluate: Callable[[nn.Module], float] | None, epoch: int) -> None:
        """Ask once per epoch, in evaluation mode; epochs that were evaluated before an interruption are passed over."""
        if evaluate is None or len(self.history.accuracy) > epoch:
            return
        self.model.eval()
        self.history.accuracy.append(float(evaluate(self.model)))
        self.model.train()

    def read_losses(self) -> None:
        """Move the losses of the last steps into the history; stops a training that has diverged."""
        self.history.loss += torch.stack(self.losses).tolist() if self.losses else []
        self.losses = []
        if self.history.loss and not math.isfinite(self.history.loss[-1]):
            raise CourseError(
                f"The loss is {self.history.loss[-1]} at step {self.history.steps}; lower the learning rate."
            )

    def keep(self, path: str | Path | None, stop: bool) -> None:
        """Write the state to the file if it is time to, or if the training is to stop."""
        now, team = time.monotonic(), self.engine.team
        stop = team.agree(stop)
        if path is not None and (stop or team.agree(now - self.kept > KEEP_EVERY)):
            self.read_losses()
            self.kept, state = now, self.state()
            if team.rank == 0:
                save_state(path, state)
        if stop:
            self.read_losses()
            again = "call it again to go on" if path is not None else "no state was kept (resume=None)"
            raise Interrupted(f"Training was stopped after step {self.history.steps} of {self.total}; {again}.")

    def fingerprint(self) -> str:
        """What must be equal for a state to fit."""
        shapes = {name: tuple(p.shape) for name, p in self.model.named_parameters()}
        return repr((asdict(self.config), self.total, shapes, self.tag, self.engine.team.size))

    def state(self) -> dict[str, Any]:
        """Everything the next step depends on, except the data, which is drawn again from its seed."""
        seconds = self.history.seconds + time.monotonic() - self.since
        return {
            "fingerprint": self.fingerprint(),
            "model": self.model.state_dict(),
            "optimizers": [optimizer.state_dict() for optimizer in self.optimizers],
            "scaler": self.engine.scaler.state_dict(),
            "random": self.engine.team.gather(self.random or runtime.random_state()),
            "history": asdict(self.history) | {"seconds": seconds},
        }

    def resume(self, path: str | Path | None) -> None:
        """Take up the state in the file, if there is one."""
        state = load_state(path, self.engine.device) if path is not None else None
        if state is None:
            return
        if state["fingerprint"] != self.fingerprint():
            raise CourseError(f"{path} is the state of another training; delete it, or keep this one elsewhere.")
        self.model.load_state_dict(state["model"])
        for optimizer, saved in zip(self.optimizers, state["optimizers"], strict=True):
            # its own groups: rates are set at every step, and whether they are tensors depends on this machine
            optimizer.load_state_dict(saved | {"param_groups": optimizer.state_dict()["param_groups"]})
        if state["scaler"] and self.engine.scaler.is_enabled():  # it may come from a device with another format
            self.engine.scaler.load_state_dict(state["scaler"])
        self.history, self.random = History(**state["history"]), state["random"][self.engine.team.rank]
        self.done = self.history.steps

    def finish(self, path: str | Path | None) -> History:
        """The history; the model is left in evaluation mode and the state file removed."""
        self.read_losses()
        self.model.eval()
        self.history.seconds += time.monotonic() - self.since
        if path is not None and self.engine.team.rank == 0:
            remove_state(path)
        return self.history


def batches(
    X: Tensor, Y: Tensor, config: TrainConfig, epoch: int, pad: int = PAD_ID
) -> Iterator[tuple[Tensor, Tensor]]:
    """One epoch X, Y (N, T) as batches x, y (B, t): every row once, in random order.

    Rows of similar length go together and t is the batch's longest row: more than half of a block is padding, and
    padding costs as much as text. With `config.parts > 1` any rows go together, the shorter ones first. The draw depends
    on (config.seed, epoch) alone.
    """
    used = X.ne(pad) | Y.ne(pad)  # (N, T)
    lengths = (used * torch.arange(1, X.shape[1] + 1, device=X.device)).amax(1).clamp(min=1).cpu()  # (N, T) -> (N,)
    g = torch.Generator().manual_seed(epoch_seed(config.seed, epoch))
    order = torch.randperm(len(X), generator=g)  # rows of one length meet others in every epoch
    if config.parts == 1:
        order = order[lengths[order].argsort(stable=True)]
    chunks = [c[lengths[c].argsort(stable=True)] for c in order.split(config.batch_size)]
    for i in torch.randperm(len(chunks), generator=g).tolist():
        rows, t = chunks[i].to(X.device), int(lengths[chunks[i]].max())
        yield X[rows, :t], Y[rows, :t]  # (N, T) -> (B, t)


def pieces(x: Tensor, y: Tensor, parts: int, pad: int = PAD_ID) -> Iterator[tuple[Tensor, Tensor]]:
    """A batch x, y (B, t), shorter rows first, in `parts` pieces of rows, each cut to its longest row.

    On a GPU the batch stays whole: to ask for a length would make it wait, and a captured step cannot ask.
    """
    if parts == 1 or x.is_cuda:
        yield x, y
        return
    used = x.ne(pad) | y.ne(pad)  # (B, t)
    for px, py, pu in zip(x.chunk(parts), y.chunk(parts), used.chunk(parts), strict=True):
        t = max(int((pu.any(0) * torch.arange(1, x.shape[1] + 1)).max()), 1)  # (b, t) -> (t,) -> ()
        yield px[:, :t], py[:, :t]


def make_optimizers(model: nn.Module, config: TrainConfig, graph: bool = False) -> list[torch.optim.Optimizer]:
    """AdamW for everything, or Muon for the matrices inside `model.blocks` and AdamW for the rest.

    Muon makes all singular values of an update about equal, which suits maps between hidden spaces, not tables such as
    embeddings (Jordan et al. 2024). Biases and norms are not decayed. With `graph` the rates are tensors, which a CUDA
    graph reads at every replay.
    """
    named = [(n, p) for n, p in model.named_parameters() if p.requires_grad]
    hidden = [p for n, p in named if config.muon_lr is not None and n.startswith("blocks.") and p.ndim == 2]
    rest = [p for _, p in named if not any(p is h for h in hidden)]
    groups = [
        {"params": [p for p in rest if p.ndim >= 2], "weight_decay": config.weight_decay},
        {"params": [p for p in rest if p.ndim < 2], "weight_decay": 0.0},
    ]
    captured = {"capturable": True, "fused": True} if graph and rest[0].is_cuda else {}
    optimizers: list[torch.optim.Optimizer] = [torch.optim.AdamW(groups, lr=config.lr, betas=config.betas, **captured)]
    if hidden:
        optimizers.append(Muon(hidden, lr=config.muon_lr or 0.0, weight_decay=config.weight_decay))
    for optimizer in optimizers:
        for group in optimizer.param_groups:
            group["top_lr"] = group["lr"]
            group["lr"] = torch.tensor(group["lr"], device=rest[0].device) if graph else group["lr"]
    return optimizers


def lr_scale(step: int, total: int, config: TrainConfig) -> float:
    """The share of the top learning rate at a step, 0 <= step < total: up in a straight line, then down to `final`."""
    warm = config.warmup * total
    if step < warm:
        return (step + 1) / math.ceil(warm)
    if config.schedule == "constant":
        return 1.0
    way = (step - warm) / max(total - warm, 1.0)  # 0 .. 1
    left = 1 - way if config.schedule == "linear" else (1 + math.cos(math.pi * way)) / 2
    return config.final + (1 - config.final) * left


def _epochs(source: ItemDataset | Epochs, config: TrainConfig, engine: Engine) -> Epochs:
    """Epochs X, Y (N, T) on the device, from a dataset of items or from an iterator that has them ready."""
    if isinstance(source, Iterator):
        return ((X.to(engine.device), Y.to(engine.device)) for X, Y in source)
    n = len(source)
    count = config.epochs or math.ceil((config.steps or 1) / max(math.ceil(n / config.batch_size), 1))
    return materialise(source, count, runtime.background_workers(n * count), config.seed, engine.device)


def _next_epoch(epochs: Epochs, number: int) -> tuple[Tensor, Tensor]:
    """The next X, Y (N, T), checked."""
    pair = next(epochs, None)
    if pair is None:
        raise CourseError(f"The source of epochs ended after {number} of them; the training needs more.")
    X, Y = pair
    if X.ndim != 2 or X.shape != Y.shape or len(X) == 0:
        raise CourseError(f"An epoch is X, Y of one shape (N, T), not {tuple(X.shape)} and {tuple(Y.shape)}.")
    return X, Y
