"""Corpora and question files, and the way from a dataset of items to tensors for whole epochs.

A corpus has one document per line. A question file has one question per line, with its answer behind a tab or without
any. All files are UTF-8.
"""

from __future__ import annotations

import copy
import multiprocessing
import os
import pickle
import random
import signal
import sys
import tempfile
import traceback
import warnings
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import torch

from course_utils.errors import CourseError
from course_utils.vocab import PAD, Vocabulary


@dataclass(frozen=True)
class Question:
    """A question such as ``Where was Ada Lovelace born?`` and its answer; None where the answer is not known."""

    text: str
    answer: str | None = None


# ---------------------------------------------------------------------------------------------------------- files


def read_wiki(path: str | Path) -> list[str]:
    """The documents of a corpus, one per line; an empty line is an empty document, the end of the file is not.

    Raises:
        CourseError: missing, empty or not UTF-8 (the line is named).
    """
    return _read_lines(Path(path), "corpus with one document per line")


def read_questions(path: str | Path) -> list[Question]:
    """The questions of a file: ``question TAB answer`` on every line, or the question alone on every line.

    Raises:
        CourseError: missing, empty or not UTF-8, or a line of another form (its number is named).
    """
    path = Path(path)
    questions: list[Question] = []
    for number, line in enumerate(_read_lines(path, "file of questions"), start=1):
        fields = line.split("\t")
        if len(fields) > 2 or not all(field.strip() for field in fields):
            raise CourseError(
                f"{path}, line {number}: expected a question, or a question, one tab and its answer; "
                f"found {len(fields)} field(s), {sum(not f.strip() for f in fields)} of them empty."
            )
        if questions and (len(fields) == 2) != (questions[0].answer is not None):
            has = "has an answer" if len(fields) == 2 else "has no answer"
            raise CourseError(f"{path}, line {number} {has}, unlike line 1; give every question an answer, or none.")
        questions.append(Question(*fields))
    return questions


def write_predictions(path: str | Path, predictions: Sequence[str]) -> None:
    """Write one prediction per line, no header, atomically. A line end inside a prediction becomes a space."""
    one_line = [p.replace("\r", " ").replace("\n", " ") for p in predictions]
    write_atomically(path, "".join(p + "\n" for p in one_line))


def read_predictions(path: str | Path, expected: int) -> list[str]:
    """The predictions that :func:`write_predictions` wrote, for ``expected`` questions.

    Raises:
        CourseError: missing, not UTF-8, or another number of lines.
    """
    path = Path(path)
    lines = _read_lines(path, "file of predictions")
    if len(lines) != expected:
        raise CourseError(
            f"{path} has {len(lines)} lines, but there are {expected} questions; "
            f"write one prediction per line, in the order of the questions, without a header."
        )
    return lines


def write_atomically(path: str | Path, content: str | bytes) -> None:
    """Write a whole file or nothing: aside, flushed to disk, then moved into place. Text is UTF-8 with ``\\n``.

    Raises:
        CourseError: the folder is missing or cannot be written to.
    """
    path = Path(path)
    aside: Path | None = None
    try:
        with tempfile.NamedTemporaryFile(dir=path.parent, prefix=f".{path.name}.", delete=False) as file:
            aside = Path(file.name)
            file.write(content.encode("utf-8") if isinstance(content, str) else content)
            file.flush()
            os.fsync(file.fileno())
        aside.chmod(0o666 & ~_umask())  # temporary files are private, results are not
        aside.replace(path)
    except OSError as error:
        raise CourseError(f"Cannot write {path}: {error.strerror}. Choose a folder you may write to.") from None
    finally:
        if aside is not None:
            aside.unlink(missing_ok=True)


def _umask() -> int:
    """The process's file mode mask, which can only be read by setting it."""
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _read_lines(path: Path, what: str) -> list[str]:
    """The lines of a UTF-8 file. Only ``\\n`` and ``\\r\\n`` end a line: characters like U+2028 belong to the text."""
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise CourseError(f"Cannot read {path}: {error.strerror}. A {what} is needed there.") from None
    try:
        text = raw.decode("utf-8-sig")  # editors on Windows put a mark in front
    except UnicodeDecodeError as error:
        line = raw[: error.start].count(b"\n") + 1
        raise CourseError(f"{path}, line {line} is not UTF-8; save the file as UTF-8.") from None
    lines = text.removesuffix("\n").split("\n")
    if not any(lines):
        raise CourseError(f"{path} is empty; a {what} is needed.")
    return [line.removesuffix("\r") for line in lines]


# --------------------------------------------------------------------------------------------- datasets to tensors


class ItemDataset(Protocol):
    """What every dataset of the course offers: a length, and pairs of int64 tensors x, y of one shape (T,).

    A dataset that draws at random has an attribute ``rng`` (``random.Random``, ``torch.Generator`` or
    ``numpy.random.Generator``) or a method ``reseed(seed: int)``.
    """

    def __len__(self) -> int:
        """Number of items in an epoch."""
        ...

    def __getitem__(self, index: int, /) -> tuple[torch.Tensor, torch.Tensor]:
        """Item ``index`` as (x, y), both int64 of shape (T,)."""
        ...


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
    """A seed for one epoch, 0 <= seed < 2**63: another for every pair, unlike seed + epoch."""
    return random.Random(f"{seed}/{epoch}").getrandbits(63)


def _reseed(dataset: Any, seed: int) -> None:
    """Give the dataset's own generator a new seed in place, so that helpers which share it are re-seeded too."""
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
        _check_item(item, i, items[0][0].shape if items else None)
        items.append(item)
    return torch.stack([x for x, _ in items]), torch.stack([y for _, y in items])  # N of (T,) -> (N, T)


def _check_item(item: Any, index: int, shape: torch.Size | None) -> None:
    """Complain in words about an item that is not a pair of int64 vectors of the common shape."""
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
    """What a value is, in a few words."""
    if isinstance(value, torch.Tensor):
        return _a(f"{str(value.dtype).removeprefix('torch.')} tensor of shape {tuple(value.shape)}")
    return _a(type(value).__name__) + (f" of {len(value)}" if isinstance(value, tuple | list) else "")


def _a(noun: str) -> str:
    """The noun with its article."""
    return f"{'an' if noun[0] in 'aeiouAEIOU' else 'a'} {noun}"


# ------------------------------------------------------------------------------------------- background processes


def _made_ahead(
    dataset: ItemDataset, epochs: int, workers: int, seed: int
) -> Iterator[tuple[torch.Tensor, torch.Tensor]]:
    """One forked process per epoch, ``workers`` of them at a time; forking needs no pickling, so notebooks may play."""
    jobs: deque[_Job] = deque()
    waiting = iter(range(epochs))

    def start(n: int) -> None:
        for epoch in islice(waiting, n):
            jobs.append(_Job(dataset, epoch, seed, [job.receiver for job in jobs]))

    try:
        start(workers)
        while jobs:
            pair = jobs.popleft().result()
            start(1)  # before the consumer goes to work, so that it and the workers are busy together
            yield pair
    finally:  # also when the consumer stops early or is interrupted
        for job in jobs:
            job.stop()


class _Job:
    """One epoch in the making in a process of its own; falls back to this process where none can be started."""

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
            arrays = [np.frombuffer(bytearray(self.receiver.recv_bytes()), np.int64).reshape(reply) for _ in "xy"]
        except EOFError:
            self.process.join()
            raise CourseError(
                f"The background process that made epoch {self.epoch} died (exit code {self.process.exitcode}; -9 "
                f"means out of memory); use fewer workers, or workers=0."
            ) from None
        finally:
            self.stop()
        return torch.from_numpy(arrays[0]), torch.from_numpy(arrays[1])  # bytes -> (N, T)

    def stop(self) -> None:
        """End the process, finished or not."""
        self.receiver.close()
        if self.process is not None:
            self.process.terminate()
            self.process.join()


def _child(dataset: ItemDataset, seed: int, sender: Connection, inherited: list[Connection]) -> None:
    """Make one epoch and send its shape, then the bytes of X and Y; or send the exception."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to handle
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    for end in inherited:  # else a sibling would wait for ever on the pipe of a parent that was killed
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
    with suppress(BrokenPipeError):  # the parent was killed: nobody waits any more
        sender.send(tuple(pair[0].shape))
        for tensor in pair:
            sender.send_bytes(tensor.contiguous().numpy().data)


def _portable(error: BaseException) -> BaseException:
    """The exception with its traceback as a note, or the same in words if it does not survive a pipe."""
    error.add_note("In the background process:\n" + "".join(traceback.format_exception(error)))
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        return CourseError(f"The dataset failed: {type(error).__name__}: {error}. Use workers=0 to see where.")
    return error


# ------------------------------------------------------------------------------------------------------ debugging


def describe(dataset: ItemDataset, vocab: Vocabulary, n: int = 3) -> None:
    """Print the first ``n`` items as text, x above y, so that every character stands above what is to follow it.

    The padding at the end is shortened to its length: ``□×87``.
    """
    n = min(n, len(dataset))
    print(f"{len(dataset)} items, {len(vocab)} characters; the first {n}:")
    for i in range(n):
        item = dataset[i]
        _check_item(item, i, None)
        print(f"\nitem {i}, T = {len(item[0])}")
        for name, ids in zip("xy", item, strict=True):
            text = vocab.decode(ids.tolist()).replace("\n", "↵")
            kept = text.rstrip(PAD)
            padding = len(text) - len(kept)
            print(f"  {name}: {kept}" + (f" {PAD}×{padding}" if padding else ""))
