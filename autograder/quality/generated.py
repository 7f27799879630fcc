"""``mutants --generated``: thousands of mistakes made by rule from right answers, judged by the promises.

Each mutant is judged as a hand-in is, with the visible trials and fresh ones, in a process of its own with a bound on memory
(without a sandbox: our own text is changed, and thousands of sandboxes would take hours).

**Controls.** Before an exercise's mutants its right answers are judged on the same bench, and the reference's again after
them. If one is refused, what was refused beside it proves nothing: the exercise is named in ``uncontrolled`` and its mutants
do not count.

**Equivalent** is a mutant that the check accepts and that gives what the oracle gives on cases wider than the check's own
(``probes``). One that differs there is a survivor, unless the table of reasons (``reasons``) says why it may.
"""

from __future__ import annotations

import ast
import difflib
import json
import multiprocessing
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeVar

from autograder.judge import preload
from autograder.judge.run_check import bounded_memory
from autograder.quality.bench import Bench
from autograder.quality.cells import setup_cells
from autograder.quality.filed import right_by_name
from autograder.quality.reasons import Reason, read_reasons
from autograder.quality.rules import Generated, generated
from autograder.source.percent import Source, read_source, source_paths
from autograder.source.visible import declared, made_from, require_current
from course_utils.engine.files import write_atomically
from course_utils.errors import CourseError

SOME = 3  # right answers that a sample's mutants are made from
MEMORY = 2 * 2**30  # on top of what is there
SLOWER = 10  # times slower than the slowest right answer a mutant may be
LEAST = 5.0  # seconds that each may take in any case
FORMAT = 1
T = TypeVar("T")
COUNTS = ("generated", "domain", "equivalent", "killed")
HERE = Path(__file__).resolve().parent
MADE_BY = ("generated", "rules", "bench", "probes", "cells")  # modules whose change makes a record stale


def right_answers(source: Source, exercise: str) -> list[str]:
    """The reference's answer and the right ones on file."""
    return [*right_by_name(source, exercise).values()]


def mutants_of(right: Sequence[str], sample: int | None = None) -> list[tuple[Generated, str]]:
    """Mutants of right answers, each with the answer that it was made from.

    Args:
        sample: at most so many, chosen by a hash of their texts: of the same answers a larger sample contains a smaller one.
    """
    found: dict[str, tuple[Generated, str]] = {}
    for text in right:
        for one in generated(text):
            found.setdefault(one.text, (one, text))
    if sample is None:
        return list(found.values())
    return sorted(found.values(), key=lambda pair: sha256(pair[0].text.encode()).digest())[:sample]


def judge_exercise(path: Path, exercise: str, sample: int | None = None) -> dict[str, Any]:
    """Counts of one exercise, its survivors and its equivalent mutants. Call it in a process of its own."""
    started = time.monotonic()
    source = read_source(path)
    right = right_answers(source, exercise)[: SOME if sample else None]
    with bounded_memory(MEMORY):
        found = _judge(Bench(source, exercise), right, mutants_of(right, sample))
    seconds = round(time.monotonic() - started, 1)
    return {"made_from": state_of(source, exercise, sample), **found, "seconds": seconds}


def _judge(bench: Bench, right: Sequence[str], mutants: Sequence[tuple[Generated, str]]) -> dict[str, Any]:
    found: dict[str, Any] = {
        "generated": len(mutants), "domain": sum(one.domain for one, _ in mutants),
        "killed": 0, "stopped": 0, "controls": len(right), "uncontrolled": _controlled(bench, right),
        "probes": 0, "survived": [], "equivalent": [],
    }  # fmt: skip
    if found["uncontrolled"]:
        return found
    found["probes"] = len(bench.probes)
    for one, text in mutants:
        ending = bench.judge(one.text)
        found["killed"] += ending != "kept"
        found["stopped"] += ending == "stopped"
        if ending == "kept":
            row = {"rule": one.rule, "change": change(text, one.text)}
            differs = bench.difference(one.text)
            found["survived" if differs else "equivalent"].append(row | ({"differs": differs} if differs else {}))
    found["uncontrolled"] = [f"after the mutants: {said}" for said in _refused([bench.judge(right[0])])]
    return found


def _controlled(bench: Bench, right: Sequence[str]) -> list[str]:
    """Judge the right answers first: they say how long a mutant may take, and which probes lie inside the domain."""
    judging, endings = _timed(bench.judge, right)
    comparing, found = _timed(bench.outside, right)
    bench.seconds = max(LEAST, SLOWER * judging)
    bench.compared = max(bench.compared, SLOWER * comparing)
    out = {number for numbers in found for number in numbers}
    bench.keep([number for number in range(len(bench.probes)) if number not in out])
    return _refused(endings)


def _timed(work: Callable[[str], T], texts: Sequence[str]) -> tuple[float, list[T]]:
    """Seconds that the slowest text took, and what each gave."""
    slowest, results = 0.0, []
    for text in texts:
        started = time.monotonic()
        results.append(work(text))
        slowest = max(slowest, time.monotonic() - started)
    return slowest, results


def _refused(endings: Sequence[str]) -> list[str]:
    """The right answers that the bench did not accept, by their numbers."""
    count = len(endings)
    return [f"right answer {n + 1} of {count}: {ending}" for n, ending in enumerate(endings) if ending != "kept"]


def change(before: str, after: str) -> str:
    """The lines that differ, as in a diff, without those around them."""
    one, two = (ast.unparse(ast.parse(text)).splitlines() for text in (before, after))
    lines = list(difflib.unified_diff(one, two, n=0, lineterm=""))[2:]
    return "\n".join(line[0] + " " + line[1:].strip() for line in lines if not line.startswith("@@"))


# -------------------------------------------------------------------------------------------------------------- a run


def state_of(source: Source, exercise: str, sample: int | None = None) -> str:
    """A hash of all that the figures of an exercise depend on: 16 hexadecimal digits."""
    cells = [*setup_cells(source, exercise), right_answers(source, exercise)]
    parts = [str(sample), made_from(source, exercise), *(text for part in cells for text in part)]
    parts += [_code((HERE / f"{name}.py").read_text(encoding="utf-8")) for name in MADE_BY]
    return sha256("\0".join(parts).encode()).hexdigest()[:16]


def _code(text: str) -> str:
    """A module's code without comments and docstrings."""
    tree = ast.parse(text)
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(node) is not None:
            node.body = node.body[1:] or [ast.Pass()]
    return ast.dump(tree)


def jobs_of(notebook: str | None, exercise: str | None) -> list[tuple[Path, str]]:
    """The exercises asked for. Raises CourseError where there are none."""
    jobs = [
        (path, cell.exercise)
        for path in source_paths(HERE.parents[1] / "solutions")
        if notebook is None or path.stem == notebook or path.stem.partition("_")[0] == notebook
        for cell in declared(read_source(path))
        if exercise in (None, cell.exercise)
    ]
    if not jobs:
        raise CourseError(f"There is no declared check of {exercise or notebook or 'any notebook'}.")
    return jobs


def run(
    notebook: str | None = None,
    exercise: str | None = None,
    workers: int = 2,
    record: Path | None = None,
    sample: int | None = None,
) -> dict[str, Any]:
    """All mutants of the declared checks (of one notebook, of one exercise).

    Args:
        sample: at most so many mutants of each exercise, made from its first right answers; None for all of all.
        record: a file of results; what is current there is not judged again, what is judged is entered at once.

    Returns:
        As :func:`summed`.

    Raises:
        CourseError: there is no such check, its visible cases are not current, or the record or the reasons cannot be read.
    """
    jobs, known = jobs_of(notebook, exercise), read_record(record)
    names = {job: f"{job[0].stem}/{job[1]}" for job in jobs}
    states = {job: state_of(read_source(job[0]), job[1], sample) for job in jobs}
    for path, name in jobs:
        require_current(read_source(path), path.parents[1] / "data", name)
    stale = [job for job in jobs if known.get(names[job], {}).get("made_from") != states[job]]
    context = multiprocessing.get_context("forkserver")  # a fresh process for each exercise, imports done once
    context.set_forkserver_preload([*preload.MODULES, __name__])
    with ProcessPoolExecutor(workers, mp_context=context, max_tasks_per_child=1) as pool:
        futures = {pool.submit(judge_exercise, *job, sample): job for job in stale}
        for future in as_completed(futures):
            known[names[futures[future]]] = future.result()
            if record is not None:
                write_atomically(record, json.dumps({"format": FORMAT, "exercises": dict(sorted(known.items()))},
                                                    indent=1, ensure_ascii=False) + "\n")  # fmt: skip
    return summed({name: known[name] for name in names.values()}, read_reasons())


def read_record(path: Path | None) -> dict[str, Any]:
    """What a record holds, by exercise; nothing where there is no file. Raises CourseError when it is not a record."""
    if path is None or not path.is_file():
        return {}
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        return dict(content["exercises"]) if content["format"] == FORMAT else {}
    except (OSError, ValueError, LookupError, TypeError) as error:
        raise CourseError(f"{path}: is no record of generated mutants; remove it and run again.") from error


def summed(parts: dict[str, dict[str, Any]], reasons: Sequence[Reason] = ()) -> dict[str, Any]:
    """The figures of all exercises together.

    Returns:
        ``{"exercises", "generated", "domain", "equivalent", "killed", "survived", "excused", "stopped", "controls",
        "uncontrolled", "same"}``. ``equivalent`` counts those that agree with the oracle on all probes, and those that the table
        of reasons excuses (``excused``, with the reason's number of mutants). ``stopped`` of the killed reached a bound of time
        or memory. ``survived`` and ``same`` are texts: what was changed, and where it differs.
    """
    counted = {name: part for name, part in parts.items() if not part["uncontrolled"]}
    total: dict[str, Any] = {"exercises": len(counted)}
    total |= {key: sum(part[key] for part in counted.values()) for key in ("generated", "domain", "killed", "stopped")}
    excused: dict[str, int] = {}
    survived: list[str] = []
    for name, part in counted.items():
        for row in part["survived"]:
            reason = next((one for one in reasons if one.covers(name, row)), None)
            if reason is None:
                survived.append(f"{name}: {row['rule']}\n{row['change']}\n  {row['differs']}")
            else:
                excused[reason.text] = excused.get(reason.text, 0) + 1
    total["equivalent"] = sum(len(part["equivalent"]) for part in counted.values()) + sum(excused.values())
    total |= {"excused": excused, "survived": survived}
    total["controls"] = sum(part["controls"] for part in counted.values())
    total["uncontrolled"] = [f"{name}: {said}" for name, part in parts.items() for said in part["uncontrolled"]]
    total["same"] = [f"{n}: {r['rule']}\n{r['change']}" for n, part in counted.items() for r in part["equivalent"]]
    return total


def table(found: dict[str, Any]) -> Sequence[str]:
    """The counts, and every survivor, for people."""
    counts = ", ".join(f"{found[key]} {key}" for key in COUNTS)
    lines = [f"{found['exercises']} exercises: {counts}, {len(found['survived'])} survived"]
    lines += [f"  {number} excused: {reason}" for reason, number in found["excused"].items()]
    lines += [f"✗ not counted, a right answer is refused on the bench: {said}" for said in found["uncontrolled"]]
    return [*lines, *(f"✗ {text}" for text in found["survived"])]
