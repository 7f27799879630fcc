"""What a student sees of a check made of promises: at most ten lines, the verdict first."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import Any

import torch
from torch import Tensor

from course_utils.checks.agree import Agree
from course_utils.checks.asking import is_handle
from course_utils.checks.casefile import Entry
from course_utils.checks.draws import JUDGES, Case, Made, Named, Seeded, amount
from course_utils.checks.handed import LOOKED
from course_utils.checks.nearly import cause
from course_utils.checks.samples import shown
from course_utils.checks.student import StudentError
from course_utils.checks.trials import Answer

WIDTH = 110  # characters of a line
LINES = 10
FEW = 8  # numbers of a tensor that are printed in full
SEVERAL = 3  # promises
EVERYWHERE = "for several promises: call it by hand with a small input, and read the whole message"
COLOURS = {"green": "32", "red": "31", "yellow": "33"}


def coloured(text: str, colour: str) -> str:
    """The text in a colour of the terminal and the notebook; as it is where NO_COLOR is set."""
    return text if os.environ.get("NO_COLOR") else f"\x1b[{COLOURS[colour]}m{text}\x1b[0m"


def broken(answers: Sequence[Answer]) -> list[int]:
    """Numbers of the promises that some answer breaks, in order."""
    return sorted({answer.trial.promise for answer in answers if not answer.kept})


def worst(answers: Sequence[Answer]) -> Answer:
    """The answer to show: the smallest case of the first promise that is broken."""
    first = broken(answers)[0]
    failing = [answer for answer in answers if not answer.kept and answer.trial.promise == first]
    return min(failing, key=lambda answer: amount(answer.trial.case))


def everywhere(answers: Sequence[Answer], shown: Answer) -> bool:
    """Whether the exception of one trial came in those of several promises, so that no single promise says what is wrong."""
    if shown.error is None:
        return False
    kind, line = shown.error.kind, shown.error.line
    alike = [one for one in answers if one.error is not None and (one.error.kind, one.error.line) == (kind, line)]
    return len({one.trial.promise for one in alike}) >= SEVERAL


def reason(answer: Answer) -> str:
    """How the value of a broken trial differs, or what that names as the cause; "" if there is nothing to say of it."""
    if answer.error is not None or answer.problem or answer.refused:
        return (answer.problem or "") if answer.error is None else ""
    return cause(*apart(answer.got, answer.trial.want, case=answer.trial.case)[:2])


def share(entry: Entry, answers: Sequence[Answer]) -> float:
    """The share of the points: of the parts none of whose promises is broken; none if one is that belongs to no part."""
    return sum(kept_parts(entry, answers).values()) if broken(answers) else 1.0


def lost_parts(entry: Entry, answers: Sequence[Answer]) -> set[str]:
    """Parts of the points with a broken trial; "" among them stands for all."""
    return {entry.part_of(answer.trial) for answer in answers if not answer.kept}


def unsolved(entry: Entry, answers: Sequence[Answer]) -> StudentError | None:
    """The exception that says so if no part of the exercise is written yet."""
    found = {entry.part_of(one.trial): one.error for one in answers if one.error is not None and one.error.unsolved}
    whole = bool(found) and ("" in found or set(entry.shares or {}) <= set(found))
    return next(iter(found.values())) if whole else None


def kept_parts(entry: Entry, answers: Sequence[Answer]) -> dict[str, float]:
    """Shares of the points by part, of the parts none of whose promises is broken; none as in :func:`share`."""
    lost = lost_parts(entry, answers)
    return {} if "" in lost else {name: value for name, value in (entry.shares or {}).items() if name not in lost}


def promised(entry: Entry, answer: Answer) -> str:
    """The sentence of the promise that an answer breaks; of a rule for several functions with the name of the one asked."""
    sentence = entry.promises[answer.trial.promise].sentence
    several = answer.trial.part and len(entry.parameters) > 1
    return f"{sentence} ({answer.trial.ask.name})" if several else sentence


def report(name: str, entry: Entry, answers: Sequence[Answer]) -> list[str]:
    """The lines for a notebook."""
    lost, count = broken(answers), len(entry.promises)
    left = {answer.trial.promise for answer in answers if not answer.asked or answer.trial.ask.way == LOOKED} - {*lost}
    if not lost:
        return [f"{coloured(f'✓ {name}', 'green')}: {count - len(left)} of {count} promises", *_later(answers)]
    part = share(entry, answers)
    state = f"{count - len(lost) - len(left)} of {count} promises" + (f", {part:.0%} of the points" if part else "")
    head = coloured(f"{'◐' if part else '✗'} {name}", "yellow" if part else "red")
    shown = worst(answers)
    told = entry.hint(answers)
    said = f"broken: {promised(entry, shown)}"
    if shown.error is not None and everywhere(answers, shown):
        said = f"{shown.error.kind} {EVERYWHERE}"
    lines = [f"{head}: {state}", f"  {told or said}"]
    if not told and (why := reason(shown)):
        lines.append(f"  {why}")
    return [_cut(line, 3 * WIDTH) for line in [*lines, *_case_lines(entry, shown)]][:LINES]


def _later(answers: Sequence[Answer]) -> Iterator[str]:
    """What is said of files that were found: the notebook does not judge what is in them."""
    for answer in answers:
        if answer.asked and answer.trial.ask.way == LOOKED:
            names = ", ".join(answer.trial.case.setup["files"])
            yield _cut(f"  handed in {names}: there and whole; what is in it is judged after the hand-in", 2 * WIDTH)


def _case_lines(entry: Entry, answer: Answer) -> Iterator[str]:
    case = answer.trial.case
    values = dict(
        zip(
            [*entry.parameters.get(answer.trial.ask.name, ()), *(f"argument {n + 1}" for n in range(len(case.args)))],
            case.args,
            strict=False,
        )
    )
    setup = {key: value for key, value in case.setup.items() if key not in JUDGES}
    given = ", ".join(f"{key} = {short(value)}" for key, value in {**setup, **values, **case.kwargs}.items())
    yield _cut(f"  input     {given}", 2 * WIDTH)
    if answer.error is not None:
        yield _cut(f"  yours     raised {told(answer.error)}", 3 * WIDTH)
        yield _cut(f"  expected  {short(answer.trial.want)}", WIDTH)
        return
    if answer.trial.agree.law or answer.refused:
        return  # the sentence says what is wrong, and there is no value
    if alarm := answer.trial.agree.counts:
        yield from (_cut(f"  {line}", WIDTH) for line in shown(answer.got, answer.trial.want, alarm))
        return
    got, want, name = _compared(answer)
    got, want, place = _where_they_differ(got, want, answer.trial.agree)
    digits = next((n for n in range(15 if _whole(want) else 5, 16) if short(got, n) != short(want, n)), 5)
    yield _cut(f"  yours     {name}{place}{short(got, digits)}", WIDTH)
    yield _cut(f"  expected  {name}{place}{short(want, digits)}", WIDTH)


def _where_they_differ(got: Any, want: Any, agree: Agree) -> tuple[Any, Any, str]:
    """Of two large tensors of one shape the numbers from the first that differs, if it is not among those that are shown."""
    if not (isinstance(got, Tensor) and isinstance(want, Tensor) and got.shape == want.shape and want.numel() > FEW):
        return got, want, ""
    one, two = (value.detach().reshape(-1) for value in (got, want))  # (*) -> (N,)
    unlike = one != two
    if one.is_floating_point() and two.is_floating_point():
        unlike = ~torch.isclose(one.double(), two.double(), agree.rtol, agree.atol, equal_nan=True)
    first = int(unlike.long().argmax())
    if first < FEW:
        return got, want, ""
    index = ", ".join(str(int(i)) for i in torch.unravel_index(torch.tensor(first), want.shape))
    return one[first : first + FEW], two[first : first + FEW], f"tensor {tuple(want.shape)} from [{index}]: "


def _compared(answer: Answer) -> tuple[Any, Any, str]:
    """What is shown of a value and of the oracle's, and its name.

    Where a view makes one thing of several, that is shown: of several right answers none is the one to copy.
    """
    case, agree, names = answer.trial.case, answer.trial.agree, answer.trial.names
    got, want = answer.got, answer.trial.want
    if agree.view and len(names) == 1 and isinstance(want, list | tuple) and len(want) > 1 and not answer.problem:
        return agree.seen(case, got), agree.seen(case, want), f"{names[0]} = "
    near = Agree(1e-9, 1e-9) if agree.view else Agree(agree.atol, agree.rtol)
    return apart(got, want, names, case=case, near=near)


def _whole(value: Any) -> bool:
    """Whether there are whole numbers in it: then floating-point numbers beside them are shown with all their digits."""
    rows = value if isinstance(value, list | tuple) else [value]
    return any(type(one) is int for one in rows[:FEW])


def apart(
    got: Any, want: Any, names: Sequence[str] = (), *, case: Case | None = None, near: Agree | None = None
) -> tuple[Any, Any, str]:
    """The first entries that differ, and their name, where both are sequences of one length; else both as they are.

    ``near``: what does not differ, in this case; a billionth if it is not given.
    """
    case, near = case or Case(), near or Agree(1e-9, 1e-9)
    if not (isinstance(got, list | tuple) and isinstance(want, list | tuple) and len(got) == len(want)):
        return got, want, ""
    for number, (a, b) in enumerate(zip(got, want, strict=True)):
        if near.problem(case, a, b) is not None:
            one, two, _ = apart(a, b, case=case, near=near)
            return one, two, f"{names[number]} = " if number < len(names) and len(names) == len(want) else ""
    return got, want, ""


def told(error: StudentError) -> str:
    """An exception of the student's code: kind, function and line, text, and advice if there is one."""
    place = f" in line {error.line} of {error.place or 'your cell'}" if error.line else ""
    return f"{error.kind}{place}" + (f": {error.text}" if error.text else "") + error.advice


def listed(name: str, entry: Entry) -> list[str]:
    """The promises of an exercise, numbered."""
    shares = entry.shares or {}
    lines = [f"{name} promises:"]
    for number, one in enumerate(entry.promises, 1):
        part = f"  ({shares[one.part]:.0%} of the points hang on '{one.part}')" if one.part in shares else ""
        lines.append(f"{number:3}. {one.sentence}{part}" + (f"  ({one.note})" if one.note else ""))
    bound = f"A right answer is refused with a probability below {entry.alarm:.0e}: random draws are compared."
    return [*lines, bound] if entry.alarm else lines


def short(value: Any, digits: int = 5) -> str:
    """A value in a few characters: numbers with so many digits, large tensors by their shape and first numbers."""
    if isinstance(value, float):
        return f"{value:.{digits}g}"
    if isinstance(value, Tensor):
        return _tensor(value, digits)
    if isinstance(value, Seeded):
        return f"generator with seed {value.seed}"
    if isinstance(value, Named | Made):
        return value.name if isinstance(value, Named) else f"{value.tool.rpartition('.')[2]}{short(value.args, digits)}"
    if isinstance(value, list | tuple):
        inner = ", ".join(short(item, digits) for item in value[:FEW]) + (", …" if len(value) > FEW else "")
        return f"[{inner}]" if isinstance(value, list) else f"({inner})"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {short(item, digits)}" for key, item in list(value.items())[:4]) + "}"
    if is_handle(value):
        return "an object of another kind"
    return _cut(repr(value), WIDTH)


def _tensor(value: Tensor, digits: int) -> str:
    flat = value.detach().reshape(-1)
    numbers = [short(number, digits) for number in flat[:FEW].tolist()]
    if value.numel() > FEW:
        return f"tensor {tuple(value.shape)} [{', '.join(numbers)}, …]"
    if value.dim() <= 1:
        return f"[{', '.join(numbers)}]" if value.dim() else numbers[0]
    return f"tensor {tuple(value.shape)} [{', '.join(numbers)}]"


def _cut(text: str, length: int) -> str:
    text = " ".join(text.split("\n"))
    return text if len(text) <= length else text[: length - 2] + " …"
