"""The course's files of visible cases, ``data/promises/<notebook>.json``.

Plain JSON, written by the build, read in the notebook and by the judge. An exercise's entry has its promises, trials with
the oracle's answers, and fingerprints of the wrong answers on file with their hints. The oracle itself is in no such file.
"""

from __future__ import annotations

import dataclasses
import importlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from course_utils.checks.agree import Agree
from course_utils.checks.asking import Ask
from course_utils.checks.compare import is_record
from course_utils.checks.draws import Case, Made, Named, Seeded
from course_utils.checks.fingerprint import STEPS, Print, alike, beyond_rounding, fingerprint
from course_utils.checks.trials import Answer, Kept, Trial
from course_utils.errors import CourseError

FORMAT = 8
READABLE = (7, FORMAT)  # in 7 every mistake had its fingerprints in full
PLAIN = (type(None), bool, int, float, str)


@dataclass(frozen=True)
class Mistake:
    """A wrong answer on file: its hint, and the fingerprints of what it gave in each trial."""

    hint: str
    prints: tuple[Print, ...]


@dataclass(frozen=True)
class Entry:
    """One exercise.

    Attributes:
        made_from: hash of everything that the build made it from.
        promises: all promises, in the order of their numbers.
        trials: the visible ones.
        mistakes: wrong answers on file.
        parameters: names of the arguments of each function (of a class's ``forward``), for people.
        forbid: names that the answer must not use.
        shares: shares of the points by part.
        alarm: bound on the chance that the check refuses what is right, where it compares random draws; else 0.
    """

    made_from: str
    promises: tuple[Kept, ...]
    trials: tuple[Trial, ...]
    mistakes: tuple[Mistake, ...]
    parameters: Mapping[str, Sequence[str]] = dataclasses.field(default_factory=dict)
    forbid: tuple[str, ...] = ()
    shares: Mapping[str, float] | None = None
    alarm: float = 0.0

    def part_of(self, trial: Trial) -> str:
        """The part of the points that hangs on a trial; "" if all of them do."""
        return trial.part or self.promises[trial.promise].part

    def functions(self) -> dict[str, set[str]]:
        """Names of the functions and classes that are asked for each part of the points."""
        found: dict[str, set[str]] = {part: {part} for part in self.shares or {}}
        for trial in self.trials:
            found.get(self.part_of(trial), set()).add(trial.ask.name)
        return found

    def hint(self, answers: Sequence[Answer]) -> str:
        """The hint of the mistake on file that gives these answers in all trials; "" if there is none, or two that differ.

        Where a view is compared, what came decides first: several mistakes may show the same. What came of random
        draws is never the same again; then what the views show decides. Last, another processor may round otherwise, and
        the mistake may have been made in 32 bits here and in 64 bits there: the nearest mistakes on file decide. That is
        asked only of answers which are wrong by more than such rounding.
        """
        prints = [fingerprint(answer) for answer in answers]
        exact = only(one.hint for one in self.mistakes if alike(one.prints, prints))
        found = exact or only(one.hint for one in self.mistakes if alike(one.prints, prints, seen=True))
        if found or not beyond_rounding(answers):
            return found
        near = ([one.hint for one in self.mistakes if alike(one.prints, prints, near=step)] for step in STEPS)
        return only(next(filter(None, near), []))


def only(hints: Any) -> str:
    """The one hint that all agree on, or ""."""
    found = set(hints)
    return found.pop() if len(found) == 1 else ""


def folder_of(data: Path) -> Path:
    """Where the files are, below the course's data."""
    return Path(data) / "promises"


def find(data: Path, exercise: str, notebook: str = "") -> Entry | None:
    """The entry of an exercise, from the notebook's file or, without a name, from whichever has it; None if it has none.

    Raises:
        CourseError: a file that cannot be read.
    """
    folder = folder_of(data)
    paths = [folder / f"{notebook}.json"] if notebook else sorted(folder.glob("*.json"))
    for path in paths:
        if path.is_file() and (found := _parsed(path, path.stat().st_mtime_ns).get(exercise)):
            return from_json(found)
    return None


@lru_cache(maxsize=16)
def _parsed(path: Path, changed: int) -> dict[str, Any]:
    return read(path)


def read(path: Path) -> dict[str, Any]:
    """The entries of a file as JSON values, by exercise. Raises CourseError when it is not such a file."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        if content["format"] not in READABLE:
            raise CourseError(f"{path}: was made by another version of the course; unpack its files again.")
        return dict(content["exercises"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise CourseError(f"{path}: cannot be read ({error}); unpack the course's files again.") from error


def text_of(notebook: str, entries: Mapping[str, Any]) -> str:
    """A file's text: one line per trial and per mistake, so that a change shows where it is."""
    blocks = []
    for name, entry in entries.items():
        lines = [f"{json.dumps(key)}: {_block(value)}" for key, value in entry.items()]
        blocks.append(f"{json.dumps(name)}: {{\n" + ",\n".join(lines) + "\n}")
    head = f'"format": {FORMAT},\n"notebook": {json.dumps(notebook)}'
    return "{\n" + head + ',\n"exercises": {\n' + ",\n".join(blocks) + "\n}\n}\n"


def _block(value: Any) -> str:
    if isinstance(value, list) and value:
        return "[\n" + ",\n".join(map(_line, value)) + "\n]"
    return _line(value)


def _line(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))  # blanks were a ninth of the files


# ------------------------------------------------------------------------------------------------------------ entries


def to_json(entry: Entry) -> dict[str, Any]:
    """An entry as JSON values; trials that share a case, and mistakes that share a fingerprint, name it by its number."""
    cases: dict[str, int] = {}
    prints: dict[str, int] = {}
    mistakes = [
        [one.hint, *(prints.setdefault(json.dumps(each), len(prints)) for each in one.prints)] for one in entry.mistakes
    ]
    trials = [
        {"case": cases.setdefault(json.dumps(_case(one.case)), len(cases)), **_trial(one)} for one in entry.trials
    ]
    return {
        "made_from": entry.made_from,
        "parameters": {key: list(names) for key, names in entry.parameters.items()},
        "forbid": list(entry.forbid),
        "shares": dict(entry.shares or {}),
        **({"alarm": entry.alarm} if entry.alarm else {}),
        "promises": [[one.sentence, one.part, one.note] for one in entry.promises],
        "cases": [json.loads(text) for text in cases],
        "trials": trials,
        "prints": [json.loads(text) for text in prints],
        "mistakes": mistakes,
    }


def _case(case: Case) -> list[Any]:
    kwargs, setup = ({key: pack(value) for key, value in part.items()} for part in (case.kwargs, case.setup))
    return [[pack(value) for value in case.args], kwargs, setup]


def _trial(trial: Trial) -> dict[str, Any]:
    agree = trial.agree
    return {
        "promise": trial.promise,
        "ask": pack(trial.ask),
        "agree": [
            agree.atol,
            agree.rtol,
            agree.view,
            agree.types,
            agree.law,
            *([agree.counts] if agree.counts else []),
        ],
        "names": list(trial.names),
        **({"part": trial.part} if trial.part else {}),
        "want": pack(trial.want),
    }


def from_json(data: Mapping[str, Any]) -> Entry:
    """Inverse of :func:`to_json`. Raises CourseError when something is missing."""
    try:
        cases = [_case_from(one) for one in data["cases"]]
        return Entry(
            str(data["made_from"]),
            tuple(Kept(*one) for one in data["promises"]),
            tuple(_trial_from(one, cases) for one in data["trials"]),
            tuple(Mistake(one[0], tuple(_print(n, data) for n in one[1:])) for one in data["mistakes"]),
            dict(data["parameters"]),
            tuple(data["forbid"]),
            dict(data["shares"]),
            float(data.get("alarm", 0.0)),
        )
    except (KeyError, TypeError, IndexError, AttributeError) as error:
        raise CourseError(
            f"The file of visible cases is damaged ({error}); unpack the course's files again."
        ) from error


def _print(one: Any, data: Mapping[str, Any]) -> Print:
    return data["prints"][one] if isinstance(one, int) else one


def _case_from(data: Sequence[Any]) -> Case:
    args, kwargs, setup = data
    named = ({key: unpack(value) for key, value in part.items()} for part in (kwargs, setup))
    return Case(tuple(unpack(value) for value in args), *named)


def _trial_from(data: Mapping[str, Any], cases: Sequence[Case]) -> Trial:
    case, agree, ask, want = cases[data["case"]], Agree(*data["agree"]), unpack(data["ask"]), unpack(data["want"])
    return Trial(data["promise"], case, ask, agree, want, tuple(data["names"]), str(data.get("part", "")))


# ------------------------------------------------------------------------------------------------------------- values


def pack(value: Any) -> Any:
    """A value as JSON: what JSON lacks becomes an object with one telling key. Raises CourseError for other kinds."""
    if type(value) in PLAIN:
        return value
    if type(value) is list:
        return [pack(item) for item in value]
    if type(value) is tuple or isinstance(value, torch.Size):
        return {"tuple": [pack(item) for item in value]}
    if type(value) is dict:
        return {"dict": [[pack(key), pack(item)] for key, item in value.items()]}
    if isinstance(value, Tensor):
        return {
            "tensor": _numbers(value.detach().reshape(-1)),
            "shape": list(value.shape),
            "type": str(value.dtype)[6:],
        }
    if isinstance(value, Seeded):
        return {"seeded": [value.seed, value.flavour]}
    if isinstance(value, Ask):
        return {"ask": value.way, "options": [pack(option) for option in value.options]}
    if isinstance(value, Named):
        return {"named": value.name}
    if isinstance(value, Made):
        return {"made": value.tool, "args": [pack(item) for item in value.args]}
    if is_record(value) and dataclasses.is_dataclass(value):
        fields = {one.name: pack(getattr(value, one.name)) for one in dataclasses.fields(value)}
        return {"record": f"{type(value).__module__}.{type(value).__qualname__}", "fields": fields}
    if isinstance(value, torch.dtype):
        return {"dtype": str(value)[6:]}
    raise CourseError(f"A case holds a {type(value).__name__}, which cannot stand in a file of visible cases.")


def _numbers(flat: Tensor) -> list[Any]:
    """The entries, those of 32-bit numbers with as few digits as tell them apart."""
    if flat.dtype == torch.float32:
        return [float(str(number)) for number in flat.numpy()]
    return (flat.double() if flat.is_floating_point() else flat.long()).tolist()


def unpack(value: Any) -> Any:
    """Inverse of :func:`pack`."""
    if type(value) is list:
        return [unpack(item) for item in value]
    if type(value) is not dict:
        return value
    if "tensor" in value:
        return torch.tensor(value["tensor"], dtype=getattr(torch, value["type"])).reshape(value["shape"])
    if "tuple" in value:
        return tuple(unpack(item) for item in value["tuple"])
    if "dict" in value:
        return {unpack(key): unpack(item) for key, item in value["dict"]}
    if "seeded" in value:
        return Seeded(*value["seeded"])
    if "ask" in value:
        return Ask(value["ask"], tuple(unpack(option) for option in value["options"]))
    if "named" in value:
        return Named(value["named"])
    if "made" in value:
        return Made(value["made"], tuple(unpack(item) for item in value["args"]))
    if "record" in value:
        return _record(value["record"], {key: unpack(item) for key, item in value["fields"].items()})
    return getattr(torch, value["dtype"])


def _record(path: str, fields: dict[str, Any]) -> Any:
    """One of the course's own dataclasses."""
    place, _, name = path.rpartition(".")
    if not place.startswith("course_utils."):
        raise CourseError(f"A case names {path}, which is no record of the course.")
    return getattr(importlib.import_module(place), name)(**fields)
