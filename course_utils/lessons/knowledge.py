"""Helpers of notebook 07: trainings whose weights are saved, precomputed results, and tables of answers."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from course_utils.checkpoint import train_or_load
from course_utils.checks.student import StudentError
from course_utils.data import Question, read_questions
from course_utils.engine.history import History
from course_utils.errors import CourseError
from course_utils.model import GPT
from course_utils.notebook.session import Course, being_graded
from course_utils.vocab import Vocabulary

__all__ = [
    "being_graded",
    "changed",
    "never_seen",
    "plain_text",
    "ready_made",
    "steps_of",
    "trained",
    "verdicts",
]


def never_seen(path: Path, questions: Sequence[Question], documents: Sequence[str]) -> list[Question]:
    """Questions about people who are in no document: those of the file, or, without a file, about invented people.

    An invented person has the first name of one person in ``questions`` and the last name of the next.
    """
    if path.is_file():
        return read_questions(path)
    text, before, after = "\n".join(documents), "Where was ", " born?"
    names = [q.text.removeprefix(before).removesuffix(after).split() for q in questions]
    crossed = {f"{a[0]} {b[-1]}": None for a, b in pairwise(names) if len(a) > 1 and len(b) > 1}
    return [Question(before + name + after) for name in crossed if name not in text]


def trained(
    course: Course,
    name: str,
    vocab: Vocabulary,
    build: Callable[[], GPT],
    train_fn: Callable[[GPT], History],
    needs: str = "",
    *,
    again: bool = False,
) -> tuple[GPT | None, History]:
    """The model saved as ``work/…/<name>.safetensors``, or a new one, trained and saved; (None, empty) if not possible.

    Args:
        build: makes the model before training.
        train_fn: trains it and returns its history.
        needs: exercises that must be solved, named in the printed sentence.
        again: train again even if there is a file.
    """
    path = course.work / f"{name}.safetensors"
    if again and not being_graded():
        path.unlink(missing_ok=True)
    was_there = path.is_file()
    try:
        model, history = train_or_load(path, build, lambda model: _watched(model, train_fn), vocab)
    except NotImplementedError:
        print(f"({name}: this cell trains once you have solved {needs or 'the exercises above'}.)")
    except CourseError as error:
        print(f"({name}: {error})")
    except Exception as error:  # an incorrect answer may fail in any way, and the notebook must run on
        print(
            f"({name}: the training stopped with {type(error).__name__}: {error}. Look at the check of {needs} first.)"
        )
    else:
        loaded = f"loaded from {path.name}; to train anew, put again=True into this cell"
        old = loaded if was_there else f"kept in {path.name}"
        print(f"{name}: {old}. Training took {history.seconds:.0f} s, last loss {_last(history)} nats per token.")
        return model, history
    return None, History()


def _watched(model: GPT, train_fn: Callable[[GPT], History]) -> History:
    """Train; raise CourseError if no History is returned or the weights have not changed."""
    before = {name: t.clone() for name, t in model.state_dict().items()}
    history = train_fn(model)
    if not isinstance(history, History):
        raise CourseError("nothing is kept, since your function did not return the History that train gives.")
    if not changed(before, model.state_dict()):
        raise CourseError("nothing is kept, since the model that was passed in has not changed: train it in place.")
    return history


def _last(history: History) -> str:
    """Mean loss of the last steps; one step alone is noisy."""
    tail = history.loss[-20:]
    return f"{sum(tail) / len(tail):.3f}" if tail else "unknown"


def plain_text(
    documents: Sequence[str], vocab: Vocabulary, block_size: int, epochs: int
) -> list[tuple[Tensor, Tensor]]:
    """``epochs`` times the same (X, Y), each (N, T): unchanged documents, y shifted by one character, then PAD.

    Every document begins and ends with a line end, so that a model learns to begin and end one.
    """
    if "\n" not in vocab.stoi:
        raise CourseError("The vocabulary lacks the line end; build it from the whole wiki text.")
    rows = [vocab.encode(f"\n{text}\n")[: block_size + 1] for text in documents]
    s = torch.full((len(rows), block_size + 1), vocab.pad_id)  # (N, T+1)
    for row, ids in zip(s, rows, strict=True):
        row[: len(ids)] = torch.tensor(ids)
    return [(s[:, :-1].contiguous(), s[:, 1:].contiguous())] * epochs


def verdicts(questions: Sequence[Question], answers: Sequence[str], confidences: Sequence[float], n: int = 6) -> str:
    """The first ``n`` answers as a table, beside the right answers where these are known."""
    lines = [f"{'question':<34}{'answer':<12}{'right answer':<14}confidence"]
    rows = list(zip(questions, answers, confidences, strict=True))[:n]
    lines += [f"{q.text:<34}{a:<12}{q.answer or 'nobody knows':<14}{c:+.3f}" for q, a, c in rows]
    return "\n".join(lines)


def ready_made(folder: Path, name: str) -> Any:
    """Precomputed results from the JSON file ``<folder>/<name>``; None, with a printed sentence, if there is none."""
    path = Path(folder) / name
    if not path.is_file():
        print(
            f"({path.name} is not in {path.parent}: this course was given without it. The next cells go on without it.)"
        )
        return None
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except ValueError:
        raise CourseError(f"{path} is not valid JSON; unpack student.zip again.") from None


def changed(before: Mapping[str, Tensor], after: Mapping[str, Tensor], least: float = 0.0) -> bool:
    """Whether two sets of weights differ: in their names, in a shape, or in an entry by more than ``least``, or by NaN."""
    if set(before) != set(after) or any(before[name].shape != after[name].shape for name in before):
        return True
    return not all(float((before[name] - after[name]).abs().max()) <= least for name in before)


def steps_of(history: Any) -> int | None:
    """The number of steps of a training's history (a History or a handle to one in the kernel); None for anything else."""
    try:
        return int(history.steps)
    except (AttributeError, TypeError, ValueError, StudentError):
        return None
