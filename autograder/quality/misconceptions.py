"""Tests of the checks: every wrong answer on file must be rejected with its hint, every right one accepted.

The verdicts come from the judge's own parts, ``judge.run_check`` and a sandboxed kernel. The mutants of one exercise share
a kernel whose names are put back in between; a kernel that died, or was changed beyond its names, is started anew.
A notebook whose checks look at handed-in files has an ``artefacts.py`` with FILES, the names that are handed in, and
``prepare(folder)``, which writes ``files/`` and ``private/``; its result is kept in ``build/mutants/``.
"""

from __future__ import annotations

import argparse
import ast
import fcntl
import importlib.util
import json
import shutil
import tempfile
import zlib
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from types import ModuleType
from typing import Any

from tqdm import tqdm

from autograder.judge.apart import left_of
from autograder.judge.files import HandedIn, Private
from autograder.judge.run_check import itself, run_check
from autograder.quality import forking
from autograder.quality.cells import setup_cells
from autograder.quality.filed import FILED, Mutant, read_mutants
from autograder.quality.shared_trials import SharedTrials
from autograder.records import Check, Verdict
from autograder.sandbox.bubblewrap import Limits, Paths
from autograder.sandbox.kernel import Kernel
from autograder.source.percent import (
    HIDDEN,
    Cell,
    Source,
    asked_for,
    no_exercise,
    read_source,
    without,
)
from autograder.source.visible import require_current
from course_utils.checks.casefile import Entry, find
from course_utils.engine.files import write_atomically
from course_utils.errors import CourseError

ROOT = Path(__file__).resolve().parents[2]
SEEDS = 3  # of the fresh trials, for all answers of an exercise
PATIENCE = 4  # times a check's limit in grading, since several processes share a core and the clock must decide nothing
KEPT = ROOT / "build" / "mutants"
SAVE = """import builtins, sys
builtins.__course_names__ = dict(get_ipython().user_ns)
torch = sys.modules.get("torch")
builtins.__course_settings__ = torch and (torch.is_grad_enabled(), torch.get_default_dtype())
"""
SETTINGS = """import builtins, sys
if builtins.__course_settings__:
    sys.modules["torch"].set_grad_enabled(builtins.__course_settings__[0])
    sys.modules["torch"].set_default_dtype(builtins.__course_settings__[1])
"""
RESTORE = (  # one expression, because it takes away every name that a statement would use
    "(lambda now, then: ([now.pop(name) for name in list(now) if name not in then], now.update(then)) and None)"
    "(get_ipython().user_ns, __import__('builtins').__course_names__)"
)


@dataclass(frozen=True)
class Judgement:
    """What the judge said about one mutant."""

    notebook: str
    exercise: str
    name: str
    wrong: bool
    rejected: bool
    named: bool  # whether the hint has the words it must have
    said: str
    wanted: str = ""  # words that the hint must contain
    exact: bool = True  # whether it has the share of the points that it must have

    @property
    def good(self) -> bool:
        """Whether the check did what it must."""
        return self.exact and (self.rejected and self.named if self.wrong else not self.rejected)


def check_of(cell: Cell) -> Check:
    """The check as a release records it, with more time."""
    marks = cell.marks
    seconds = PATIENCE * float(marks.get("timeout", 60))
    return Check(cell.exercise, cell.text, without(cell.text, HIDDEN), marks["points"], seconds)


# ------------------------------------------------------------------------------------------------------- judging them


class Bench:
    """A warm kernel with everything that comes before one exercise."""

    def __init__(
        self, source: Source, exercise: str, public: Path, artefacts: Path | None, filed: Path = FILED
    ) -> None:
        found = [cell for cell in source.cells if (cell.role, cell.exercise) == ("check", exercise)]
        if not found:
            raise CourseError(f"{source.path}: has no check {exercise}, for which there are misconceptions on file.")
        self.source, self.check = source, check_of(found[0])
        self.before, self.after = setup_cells(source, exercise)
        self.public, self.artefacts, self.filed = public, artefacts, filed
        self.shared = SharedTrials()
        self.files = Path(tempfile.mkdtemp(prefix="mutants-"))
        self.kernel = Kernel(Paths(public, self.files, source.name), Limits())

    @cached_property
    def entry(self) -> Entry | None:
        """The visible cases' forbidden names and shares; the judge reads the file anew, for a check may change a case."""
        return find(self.public / "data", self.check.id, self.source.name)

    def close(self) -> None:
        """End the kernel and remove what was handed in."""
        self.kernel.close()
        shutil.rmtree(self.files, ignore_errors=True)

    def start(self) -> None:
        """A fresh kernel that has run all that comes before."""
        self.kernel.start()
        for code in self.before:
            outcome = self.kernel.run_cell(code)
            if outcome.status != "ok":
                raise CourseError(
                    f"{self.source.path}: what comes before {self.check.id} does not run: {outcome.error or outcome.note}"
                )
        self.kernel.run_cell(SAVE)

    def judge(self, mutant: Mutant, seed: int) -> Verdict:
        """The verdict on one mutant; the kernel is as before afterwards, or closed."""
        self.hand_in(mutant)
        if not self.kernel.alive:
            self.start()
        if any(self.kernel.run_cell(code).status != "ok" for code in (SETTINGS, RESTORE)):
            raise CourseError(
                f"Names and settings before {mutant.exercise}/{mutant.name} cannot be put back in the kernel."
            )
        text, lost = left_of(self.entry, mutant.text)
        for code in (text, *self.after):  # a mutant may well break the helpers behind it: the check will tell
            self.kernel.run_cell(code)
        handed, private = HandedIn(self.files, self.source.name), Private((self.artefacts or self.files) / "private")
        trials_of, self.shared.spared = self.shared.of if self.artefacts is None else itself, mutant.keeps
        verdict, note = run_check(
            self.check, self.kernel, text, handed, private, seed, trials_of=trials_of, without=lost
        )
        if verdict.status in ("timeout", "dead"):
            self.shared = SharedTrials()  # a check stopped while it changes a trial's arguments leaves them changed
        if verdict.status == "error" and note:
            raise CourseError(f"{self.source.path}: the check {self.check.id} itself failed: {verdict.detail[-600:]}")
        return verdict

    def outcome(self, mutant: Mutant, verdict: Verdict) -> Judgement:
        """What a verdict means for an answer on file. Raises CourseError for parts that the exercise has not."""
        shares = (self.entry and self.entry.shares) or {}
        if unknown := set(mutant.keeps) - set(shares):
            raise CourseError(
                f"{mutant.exercise}/{mutant.name} keeps {sorted(unknown)}; the parts are {sorted(shares)}."
            )
        share = sum(shares[part] for part in mutant.keeps) if mutant.wrong else 1.0
        exact, named = abs(verdict.points - share * verdict.max_points) < 1e-6, mutant.hint in verdict.hint
        said = f"{verdict.status}: {verdict.hint}" if verdict.hint else verdict.status
        said += "" if exact else f" ({verdict.points / verdict.max_points:.0%} of the points, and not {share:.0%})"
        rejected, about = verdict.points < verdict.max_points, (mutant.exercise, mutant.name, mutant.wrong)
        return Judgement(self.source.name, *about, rejected, named, said, mutant.hint, exact)

    def hand_in(self, mutant: Mutant) -> None:
        """Put the files in place that this mutant hands in."""
        shutil.rmtree(self.files)
        self.files.mkdir()
        if self.artefacts is None:
            return
        for name in artefacts_of(self.source.name, self.filed).FILES:
            kept = mutant.files.get(name, name)
            if kept != "nothing":
                shutil.copyfile(self.artefacts / "files" / kept, self.files / name)


def judge_exercise(
    path: Path, mutants: Sequence[Mutant], public: Path, artefacts: Path | None, filed: Path = FILED
) -> list[Judgement]:
    """All mutants of one exercise, one after the other, in the process's main thread."""
    source = read_source(path)
    bench = Bench(source, mutants[0].exercise, public, artefacts, filed)
    try:
        return [bench.outcome(mutant, bench.judge(mutant, seed_of(mutant))) for mutant in mutants]
    finally:
        bench.close()


def seed_of(mutant: Mutant) -> int:
    """One of a few seeds of the exercise, by the answer's name: answers with the same one share their trials."""
    return zlib.crc32(mutant.exercise.encode()) + zlib.crc32(mutant.name.encode()) % SEEDS


# ----------------------------------------------------------------------------------------------------- all of them


def artefacts_of(notebook: str, folder: Path = FILED) -> ModuleType | Any:
    """The module ``artefacts.py`` of a notebook, or None."""
    path = folder / notebook / "artefacts.py"
    if not path.is_file():
        return None
    spec = importlib.util.spec_from_file_location(f"artefacts_{notebook}", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def prepared(notebook: str, kept: Path = KEPT, filed: Path = FILED) -> Path | None:
    """The folder with a notebook's artefacts, made if it is not there; None for a notebook that needs none.

    Its name has a hash of everything it depends on, so that what was made by older code is not used.
    """
    module = artefacts_of(notebook, filed)
    if module is None:
        return None
    parts = [Path(str(module.__file__)), *sorted((ROOT / "solutions" / "reference").glob("*.py"))]
    parts += sorted((ROOT / "course_utils").rglob("*.py"))
    digest = sha256(b"".join(path.read_bytes() for path in parts)).hexdigest()[:12]
    folder = kept / f"{notebook}-{digest}"
    kept.mkdir(parents=True, exist_ok=True)
    with (kept / f"{notebook}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # another process that makes the same takes minutes: wait for it
        if not folder.is_dir():
            with tempfile.TemporaryDirectory(dir=kept) as aside:
                module.prepare(Path(aside) / "made")
                (Path(aside) / "made").rename(folder)
    return folder


def needed(path: Path, exercise: str, filed: Path = FILED) -> Path | None:
    """The artefacts for one exercise: None where its check opens no file, so that nothing is trained for it."""
    check = next((one for one in read_source(path).cells if (one.role, one.exercise) == ("check", exercise)), None)
    names = {node.id for node in ast.walk(ast.parse(check.text)) if isinstance(node, ast.Name)} if check else set()
    return prepared(path.stem, filed=filed) if names & {"handin", "private"} else None


def public_folder(folder: Path) -> Path:
    """What the sandbox shows as /course: the students' package and data."""
    for part in ("course_utils", "data"):
        shutil.copytree(ROOT / part, folder / part, ignore=shutil.ignore_patterns("__pycache__"), dirs_exist_ok=True)
    return folder


def judged(
    jobs: Sequence[tuple[Path, Sequence[Mutant]]],
    public: Path,
    workers: int = 2,
    *,
    progress: bool = True,
    filed: Path = FILED,
) -> Iterator[Judgement]:
    """Outcomes of many exercises (source and mutants each), the largest first, as they come in.

    Args:
        public: what :func:`public_folder` made; its visible cases are used.
    """
    pairs = dict.fromkeys((path, mutants[0].exercise) for path, mutants in jobs)
    artefacts = {pair: needed(*pair, filed=filed) for pair in pairs}
    total = sum(len(mutants) for _, mutants in jobs)
    with (
        ProcessPoolExecutor(workers, mp_context=forking.context()) as pool,
        tqdm(total=total, disable=not progress) as bar,
    ):
        order = sorted(jobs, key=lambda job: -len(job[1]))
        futures = [
            pool.submit(judge_exercise, path, m, public, artefacts[path, m[0].exercise], filed) for path, m in order
        ]
        for future in as_completed(futures):
            found = future.result()
            bar.update(len(found))
            yield from found


def run(
    notebook: str | None = None, *, json: bool = False, exercise: str | None = None, workers: int = 2
) -> dict[str, Any]:
    """Judge every mutant on file (of one notebook, of one exercise), print what was found, and return the counts.

    Args:
        notebook: its number, such as ``03``, or its name.
        json: print nothing but the returned value's figures, for machines; else a table.

    Returns:
        ``{"exercises", "mutants", "killed", "correct_variants", "accepted", "hint_top1", "failures"}``; hint_top1 is the
        share of wrong answers whose hint names their cause.

    Raises:
        CourseError: no such notebook or exercise, a file without a proper header, visible cases that are not current, or
            a check that fails by itself.
    """
    paths = asked_for(ROOT / "solutions", notebook)
    filed = [(path, name, mutants) for path in paths for name, mutants in read_mutants(path.stem).items()]
    jobs = [(path, mutants) for path, name, mutants in filed if exercise in (None, name)]
    if not jobs:
        raise no_exercise(paths, exercise, [name for _, name, _ in filed])
    for path, mutants in jobs:
        require_current(read_source(path), ROOT / "data", mutants[0].exercise)
    with tempfile.TemporaryDirectory(prefix="mutants-") as scratch:
        found = judged(jobs, public_folder(Path(scratch)), workers, progress=not json)
        outcomes = sorted(found, key=lambda o: (o.notebook, o.exercise, o.name))
    if not json:
        print("\n".join(table(outcomes)))
    return counts(outcomes)


def counts(outcomes: Sequence[Judgement]) -> dict[str, Any]:
    """The figures of all outcomes, and one sentence for each that is not as it must be."""
    wrong, right = ([o for o in outcomes if o.wrong is kind] for kind in (True, False))
    return {
        "exercises": len({(o.notebook, o.exercise) for o in outcomes}),
        "mutants": len(wrong),
        "killed": sum(o.rejected for o in wrong),
        "correct_variants": len(right),
        "accepted": sum(not o.rejected for o in right),
        "hint_top1": sum(o.rejected and o.named for o in wrong) / max(len(wrong), 1),
        "failures": [f"{o.notebook}/{o.exercise}/{o.name}: {o.said}" for o in outcomes if not o.good],
    }


def table(outcomes: Sequence[Judgement]) -> Iterator[str]:
    """One line per exercise, then one per outcome that is not as it must be."""
    yield f"{'exercise':<42}{'wrong: rejected':>17}{'hint names cause':>18}{'right: accepted':>17}"
    for key in dict.fromkeys((o.notebook, o.exercise) for o in outcomes):
        mine = [o for o in outcomes if (o.notebook, o.exercise) == key]
        n = counts(mine)
        named = sum(o.rejected and o.named for o in mine if o.wrong)
        shares = (
            f"{n['killed']}/{n['mutants']}",
            f"{named}/{n['mutants']}",
            f"{n['accepted']}/{n['correct_variants']}",
        )
        yield f"{'/'.join(key):<42}{shares[0]:>17}{shares[1]:>18}{shares[2]:>17}"
    for failure in counts(outcomes)["failures"]:
        yield f"✗ {failure}"


def main(argv: Sequence[str] | None = None) -> int:
    """The command line: 0 if every check does what it must, else 1."""
    parser = argparse.ArgumentParser(prog="python -m autograder mutants", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("notebook", nargs="?", help="such as 07 or 07_knowledge; all without it")
    parser.add_argument("--exercise", help="one exercise alone")
    parser.add_argument("--workers", type=int, default=2, help="exercises judged at a time (2)")
    parser.add_argument("--json", metavar="FILE", help="write the figures as JSON (- for stdout, and nothing else)")
    parser.add_argument("--generated", action="store_true", help="mistakes made by rule instead of those on file")
    parser.add_argument("--sample", type=int, metavar="N", help="with --generated: at most N mutants of each exercise")
    parser.add_argument("--record", type=Path, metavar="FILE", help="with --generated: results to go on from, renewed")
    options = parser.parse_args(argv)
    if options.generated:
        return _generated(options)
    found = run(options.notebook, json=options.json == "-", exercise=options.exercise, workers=options.workers)
    text = json.dumps(found, indent=2, ensure_ascii=False)
    if options.json == "-":
        print(text)
    elif options.json:
        write_atomically(options.json, text + "\n")
    return 1 if found["failures"] else 0


def _generated(options: argparse.Namespace) -> int:
    """``mutants --generated``: 1 if a mistake survives, or a right answer is refused on the same bench.

    Raises:
        CourseError: no such notebook or exercise, and what ``generated.run`` raises.
    """
    from autograder.quality import generated

    paths = asked_for(ROOT / "solutions", options.notebook)
    known = [cell.exercise for path in paths for cell in read_source(path).cells if cell.role == "check"]
    if not known or options.exercise not in (None, *known):
        raise no_exercise(paths, options.exercise, known)
    found = generated.run(options.notebook, options.exercise, options.workers, options.record, options.sample)
    text = json.dumps(found, indent=2, ensure_ascii=False)
    if options.json == "-":
        print(text)
    else:
        print("\n".join(generated.table(found)))
        if options.json:
            write_atomically(options.json, text + "\n")
    return 1 if found["survived"] or found["uncontrolled"] else 0
