"""The training loop: epochs, optimiser steps, and a history of losses to plot.

Letters: an epoch has N rows of T tokens, a batch has B of these rows, cut to t tokens, a micro-batch has b rows of them.

What a step needs on other machines (several processes, float16, CUDA graphs) stands in `course_utils.engine`, and so does
resuming after an interruption (`resume=path`): call `train` again with the same arguments and it continues where it
stopped, on a CPU with bit-identical results.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import chain, count
from pathlib import Path

import torch
from torch import Tensor, nn
from tqdm.auto import tqdm

from course_utils.config import TrainConfig
from course_utils.engine.engine import Engine, pick_engine
from course_utils.engine.epochs import Epochs, ItemDataset, epoch_seed, next_epoch, prepare_epochs
from course_utils.engine.graph import Step
from course_utils.engine.history import History
from course_utils.engine.resume import TrainingState
from course_utils.engine.stop import stop_signal
from course_utils.model import PAD_ID, loss
from course_utils.optim import lr_scale, make_optimizers, set_learning_rates


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
    """Train `model` (ids (B, T) -> logits (B, T, V)) in place and return its history; it is left in evaluation mode.

    Args:
        source: a dataset of items (x, y), each (T,), drawn afresh for every epoch, or an iterator of epochs (X, Y), each
            (N, T).
        evaluate: called with the model after every epoch, in evaluation mode; its results are `History.accuracy`.
        pad: id of the padding, which does not count in the loss.
        resume: file to which the state is saved every half minute and when the training is stopped; removed at the end.
        tag: any text that identifies what the state belongs to.
        engine: device, number format and processes; chosen for this machine by default.

    Raises:
        Interrupted: the training was stopped.
        CourseError: the source or the saved state does not fit, or the loss becomes NaN or infinite.
    """
    engine = engine or pick_engine()
    epochs = prepare_epochs(source, config.epochs, config.steps, config.batch_size, config.seed, engine.device)
    X, Y = next_epoch(epochs, 0)
    total = config.steps or (config.epochs or 0) * math.ceil(len(X) / config.batch_size)
    engine.prepare(model)
    optimizers = make_optimizers(model, config, graph=engine.graph)
    state = TrainingState(model, optimizers, config, total, engine, tag, resume)
    step: Step = partial(training_step, model, optimizers, config, engine, pad)
    step = engine.capture(step, config.batch_size, X.shape[1], pad)  # as CUDA graphs, where that was asked for
    return _loop(state, step, chain([(X, Y)], epochs), evaluate, pad, progress=progress)


def _loop(
    state: TrainingState,
    run_step: Step,
    epochs: Epochs,
    evaluate: Callable[[nn.Module], float] | None,
    pad: int,
    *,
    progress: bool,
) -> History:
    """Run all steps of a training, or those after the saved state if there is one. `run_step` is :func:`training_step`."""
    config, total, silent = state.config, state.total, not progress or state.engine.processes.rank > 0
    first, step = state.load(), 0
    with stop_signal() as stopped, tqdm(total=total, initial=first, disable=silent, unit="step") as bar:
        for epoch in count():
            X, Y = next_epoch(epochs, epoch)
            for x, y in batches(X, Y, config, epoch, pad):
                if step >= first:  # skip the steps made before an interruption
                    state.restore_random()
                    set_learning_rates(state.optimizers, lr_scale(step, total, config))  # the schedule
                    state.record(run_step(x, y))
                    bar.update()
                    state.keep(stop=stopped())
                step += 1
                if step == total:
                    break
            state.evaluate(evaluate, epoch)
            if step == total:
                return state.finish()
    raise AssertionError("unreachable: epochs are counted without end")


def training_step(
    model: nn.Module,
    optimizers: Sequence[torch.optim.Optimizer],
    config: TrainConfig,
    engine: Engine,
    pad: int,
    x: Tensor,
    y: Tensor,
) -> Tensor:
    """One step on the batch x, y (B, t): zero the gradients, forward, loss, backward, clip, step. Return the loss ().

    Nothing here reads a number back from the device: the CPU would wait for the GPU.
    """
    x, y = engine.processes.shard(x), engine.processes.shard(y)  # all of the batch, unless several processes share it
    tokens = engine.processes.sum(y.ne(pad).sum().float()).clamp(min=1)
    batch_loss = torch.zeros((), device=x.device)
    for optimizer in optimizers:
        optimizer.zero_grad(set_to_none=True)
    for mx, my in micro_batches(x, y, config.micro_batches, pad):
        with engine.autocast():
            logits = model(mx)  # (b, t) -> (b, t, V)
        # a mean over the tokens of all micro-batches and processes, not a mean of their means
        share = loss(logits, my, pad) * (my.ne(pad).sum() / tokens)
        engine.backward(share)
        batch_loss = batch_loss + share.detach()
    engine.clip(optimizers, [p for p in model.parameters() if p.requires_grad], config.clip)
    engine.step(optimizers)
    return engine.processes.sum(batch_loss)


def batches(
    X: Tensor, Y: Tensor, config: TrainConfig, epoch: int, pad: int = PAD_ID
) -> Iterator[tuple[Tensor, Tensor]]:
    """Yield one epoch X, Y (N, T) as batches x, y (B, t): every row once, in random order.

    Rows of similar length form a batch, which is cut to its longest row, t tokens: more than half of a block is padding,
    and padding takes as much time as text. With `config.micro_batches > 1` a batch has rows of any length, the shorter ones
    first. The order depends on (config.seed, epoch) alone.
    """
    used = X.ne(pad) | Y.ne(pad)  # (N, T)
    lengths = (used * torch.arange(1, X.shape[1] + 1, device=X.device)).amax(1).clamp(min=1).cpu()  # (N, T) -> (N,)
    g = torch.Generator().manual_seed(epoch_seed(config.seed, epoch))
    order = torch.randperm(len(X), generator=g)  # rows of equal length form other batches in each epoch
    if config.micro_batches == 1:
        order = order[lengths[order].argsort(stable=True)]
    chunks = [c[lengths[c].argsort(stable=True)] for c in order.split(config.batch_size)]
    for i in torch.randperm(len(chunks), generator=g).tolist():
        rows, t = chunks[i].to(X.device), int(lengths[chunks[i]].max())
        yield X[rows, :t], Y[rows, :t]  # (N, T) -> (B, t)


def micro_batches(x: Tensor, y: Tensor, count: int, pad: int = PAD_ID) -> Iterator[tuple[Tensor, Tensor]]:
    """Yield a batch x, y (B, t), shorter rows first, in `count` groups of rows, each cut to its longest row.

    On a GPU the batch stays whole: reading a length makes the CPU wait, and is not possible inside a CUDA graph.
    """
    if count == 1 or x.is_cuda:
        yield x, y
        return
    used = x.ne(pad) | y.ne(pad)  # (B, t)
    for mx, my, mu in zip(x.chunk(count), y.chunk(count), used.chunk(count), strict=True):
        t = max(int((mu.any(0) * torch.arange(1, x.shape[1] + 1)).max()), 1)  # (b, t) -> (t,) -> ()
        yield mx[:, :t], my[:, :t]
