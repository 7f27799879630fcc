"""Whole epochs as tensors from a dataset of items, made ahead by background processes."""

from __future__ import annotations

import copy
import math
import multiprocessing
import pickle
import random
import signal
import sys
import traceback
import warnings
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import islice
from multiprocessing.connection import Connection
from typing import Any, Protocol

import numpy as np
import torch

from course_utils.device import background_workers
from course_utils.errors import CourseError


class ItemDataset(Protocol):
    """The interface of every dataset: a length, and pairs of int64 tensors x, y of one shape (T,).

    A dataset that draws at random has an attribute ``rng`` (``random.Random``, ``torch.Generator`` or
    ``numpy.random.Generator``) or a method ``reseed(seed: int)``.
    """

    def __len__(self) -> int:
        """Number of items in an epoch."""
        ...

    def __getitem__(self, index: int, /) -> tuple[torch.Tensor, torch.Tensor]:
        """Item ``index`` as (x, y), both int64 of shape (T,)."""
        ...


Epochs = Iterator[tuple[torch.Tensor, torch.Tensor]]  # X, Y, each (N, T)


def prepare_epochs(
    source: ItemDataset | Epochs,
    epochs: int | None,
    steps: int | None,
    batch_size: int,
    seed: int,
    device: torch.device,
) -> Epochs:
    """Epochs X, Y (N, T) on the device, from a dataset of items or from an iterator of ready epochs.

    Args:
        epochs: how many are needed; None derives it from ``steps`` of ``batch_size`` rows.
    """
    if isinstance(source, Iterator):
        return ((X.to(device), Y.to(device)) for X, Y in source)
    n = len(source)
    count = epochs or math.ceil((steps or 1) / max(math.ceil(n / batch_size), 1))
    return materialise(source, count, background_workers(n * count), seed, device)


def next_epoch(epochs: Epochs, number: int) -> tuple[torch.Tensor, torch.Tensor]:
    """The next X, Y (N, T). Raises CourseError when there is none, or when it is no pair of one shape."""
    pair = next(epochs, None)
    if pair is None:
        raise CourseError(f"The source of epochs ended after {number} of them; the training needs more.")
    X, Y = pair
    if X.ndim != 2 or X.shape != Y.shape or len(X) == 0:
        raise CourseError(f"An epoch is X, Y of one shape (N, T), not {tuple(X.shape)} and {tuple(Y.shape)}.")
    return X, Y


def materialise(
    dataset: ItemDataset, epochs: int = 1, workers: int = 0, seed: int = 0, device: str | torch.device = "cpu"
) -> Iterator[tuple[torch.Tensor, torch.Tensor]]:
    """Whole epochs of any item dataset as tensors X, Y of shape (N, T), int64, in the order of the dataset.

    Every epoch is drawn anew from a seed of its own, made from ``seed`` and the epoch's number. So the result does not
    depend on ``workers``, and no two workers draw the same. (Draws from the *global* generators are repeatable in
    background processes alone.)

    Args:
        dataset: items as in :class:`ItemDataset`; it may be defined in a notebook. Its generator is re-seeded.
        epochs: how many pairs to yield.
        workers: background processes, each making a whole epoch ahead of the one in use. 0, or a system that cannot
            fork, makes each epoch here, when it is asked for.
        seed: any integer.
        device: where X and Y go.

    Raises:
        CourseError: an empty dataset, items of another kind, a generator that cannot be re-seeded, or a worker that
            was killed. An exception of the dataset itself arrives as it is.
    """
    if epochs < 0 or workers < 0:
        raise CourseError(f"epochs and workers cannot be negative; got {epochs} and {workers}.")
    forks = workers > 0 and sys.platform == "linux" and "fork" in multiprocessing.get_all_start_methods()
    pairs = _made_ahead(dataset, epochs, workers, seed) if forks else _made_here(dataset, range(epochs), seed)
    return ((x.to(device), y.to(device)) for x, y in pairs)


def _made_here(dataset: ItemDataset, epochs: Sequence[int], seed: int) -> Iterator[tuple[torch.Tensor, torch.Tensor]]:
    for epoch in epochs:
        _reseed(dataset, epoch_seed(seed, epoch))
        yield _stack(dataset)


def epoch_seed(seed: int, epoch: int) -> int:
    """A seed for one epoch, 0 <= seed < 2**63, different for every pair; seed + epoch would repeat."""
    return random.Random(f"{seed}/{epoch}").getrandbits(63)


def _reseed(dataset: Any, seed: int) -> None:
    """Re-seed the dataset's own generator in place, so that objects which share it are re-seeded too."""
    rng = getattr(dataset, "rng", None)
    if callable(getattr(dataset, "reseed", None)):
        dataset.reseed(seed)
    elif isinstance(rng, random.Random):
        rng.seed(seed)
    elif isinstance(rng, torch.Generator):
        rng.manual_seed(seed)
    elif isinstance(rng, np.random.Generator):
        rng.bit_generator.state = type(rng.bit_generator)(seed).state  # type: ignore[call-arg]
    elif rng is not None:
        raise CourseError(
            f"The dataset's rng is {_a(type(rng).__name__)}, which cannot be re-seeded each epoch; use random.Random, "
            f"torch.Generator or numpy's Generator, or give the dataset a method reseed(seed)."
        )


def _stack(dataset: ItemDataset) -> tuple[torch.Tensor, torch.Tensor]:
    """One epoch: X and Y of shape (N, T)."""
    n = len(dataset)
    if n == 0:
        raise CourseError("The dataset is empty (its length is 0), so there is nothing to train on.")
    items: list[tuple[torch.Tensor, torch.Tensor]] = []
    for i in range(n):
        item = dataset[i]
        check_item(item, i, items[0][0].shape if items else None)
        items.append(item)
    return torch.stack([x for x, _ in items]), torch.stack([y for _, y in items])  # N of (T,) -> (N, T)


def check_item(item: Any, index: int, shape: torch.Size | None) -> None:
    """Raise CourseError for an item that is not a pair of int64 vectors of the common shape."""
    if not isinstance(item, tuple | list) or len(item) != 2:
        raise CourseError(f"Item {index} of the dataset is not a pair (x, y) but {_kind(item)}; return x, y.")
    for name, value in zip("xy", item, strict=True):
        if not isinstance(value, torch.Tensor) or value.dtype != torch.int64 or value.dim() != 1:
            raise CourseError(
                f"Item {index} of the dataset: {name} is {_kind(value)}, but an int64 tensor of shape (T,) is needed; "
                f"return torch.tensor(ids, dtype=torch.long)."
            )
    x, y = item
    if x.shape != y.shape or (shape is not None and x.shape != shape):
        wanted = f"({shape[0]},) like item 0" if shape is not None else "one length for both"
        raise CourseError(
            f"Item {index} of the dataset: x and y have shapes {tuple(x.shape)} and {tuple(y.shape)}, but {wanted} is "
            f"needed; pad to the block size."
        )


def _kind(value: Any) -> str:
    """The type of a value in words, with its shape or length."""
    if isinstance(value, torch.Tensor):
        return _a(f"{str(value.dtype).removeprefix('torch.')} tensor of shape {tuple(value.shape)}")
    return _a(type(value).__name__) + (f" of {len(value)}" if isinstance(value, tuple | list) else "")


def _a(noun: str) -> str:
    """The noun with its article."""
    return f"{'an' if noun[0] in 'aeiouAEIOU' else 'a'} {noun}"


def _made_ahead(
    dataset: ItemDataset, epochs: int, workers: int, seed: int
) -> Iterator[tuple[torch.Tensor, torch.Tensor]]:
    """Yield epochs made by one forked process each, ``workers`` at a time.

    A fork pickles nothing, so the dataset may be defined in a notebook.
    """
    jobs: deque[_Job] = deque()
    waiting = iter(range(epochs))

    def start(n: int) -> None:
        for epoch in islice(waiting, n):
            jobs.append(_Job(dataset, epoch, seed, [job.receiver for job in jobs]))

    try:
        start(workers)
        while jobs:
            pair = jobs.popleft().result()
            start(1)  # before the consumer computes, so that it and the workers run at the same time
            yield pair
    finally:  # also when the consumer stops early or is interrupted
        for job in jobs:
            job.stop()


class _Job:
    """One epoch that a separate process makes, or this process where none can be started."""

    def __init__(self, dataset: ItemDataset, epoch: int, seed: int, others: list[Connection]) -> None:
        context = multiprocessing.get_context("fork")
        self.dataset, self.epoch, self.seed = dataset, epoch, seed
        self.receiver, sender = context.Pipe(duplex=False)
        arguments = (dataset, epoch_seed(seed, epoch), sender, [*others, self.receiver])
        self.process: Any = context.Process(target=_child, args=arguments, daemon=True)
        try:
            with warnings.catch_warnings():  # Python 3.12+ warns of threads: the child uses none of theirs
                warnings.simplefilter("ignore", DeprecationWarning)
                self.process.start()
        except OSError:  # out of processes, as in a sandbox
            self.process = None
        sender.close()

    def result(self) -> tuple[torch.Tensor, torch.Tensor]:
        """Wait for X and Y, (N, T) each; raises what the dataset raised."""
        if self.process is None:
            return next(_made_here(copy.copy(self.dataset), [self.epoch], self.seed))
        try:
            reply = self.receiver.recv()
            if isinstance(reply, BaseException):
                raise reply
            flat = [np.frombuffer(bytearray(self.receiver.recv_bytes()), np.int64) for _ in "xy"]
            arrays = [numbers.reshape(reply) for numbers in flat]  # (N*T,) -> (N, T)
        except EOFError:
            self.process.join()
            raise CourseError(
                f"The background process that made epoch {self.epoch} died (exit code {self.process.exitcode}; -9 "
                f"means out of memory); use fewer workers, or workers=0."
            ) from None
        finally:
            self.stop()
        return torch.from_numpy(arrays[0]), torch.from_numpy(arrays[1])

    def stop(self) -> None:
        """End the process, finished or not."""
        self.receiver.close()
        if self.process is not None:
            self.process.terminate()
            self.process.join()


def _child(dataset: ItemDataset, seed: int, sender: Connection, inherited: list[Connection]) -> None:
    """Make one epoch and send its shape, then the bytes of X and Y; or send the exception."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent handles Ctrl-C
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    for end in inherited:  # else another worker would wait for ever on the pipe of a parent that was killed
        end.close()
    torch.set_num_threads(1)  # OpenMP's threads do not survive a fork; a second one would hang
    try:
        for seed_globally in (random.seed, torch.default_generator.manual_seed, lambda s: np.random.seed(s % 2**32)):
            seed_globally(seed)
        _reseed(dataset, seed)
        pair = _stack(dataset)
    except BaseException as error:
        sender.send(_portable(error))
        return
    with suppress(BrokenPipeError):  # the parent was killed and reads no longer
        sender.send(tuple(pair[0].shape))
        for tensor in pair:
            sender.send_bytes(tensor.contiguous().numpy().data)


def _portable(error: BaseException) -> BaseException:
    """The exception with its traceback as a note, or a CourseError with its text if it cannot be pickled."""
    error.add_note("In the background process:\n" + "".join(traceback.format_exception(error)))
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        return CourseError(f"The dataset failed: {type(error).__name__}: {error}. Use workers=0 to see where.")
    return error
