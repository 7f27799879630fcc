"""The original's people on a CPU or a GPU: pretrain on their biographies, ask for birthplaces of people not trained.

    python -m benchmarks.original FOLDER                              # the best recipe at one seventh, five seeds
    python -m benchmarks.original FOLDER --only "batch 64" --seeds 0 --readings 60 --split 1
    python -m benchmarks.original FOLDER --split whole --only whole --seeds 0

FOLDER has wiki.txt, birth_places_train.tsv and birth_dev.tsv of the original's form; nothing of it is copied. One seventh
(split k) is 300 training people with their biographies and 100 of dev with theirs; splits do not overlap, so a recipe is
chosen on splits 1 to 4 and reported on split 0. A finished run is in the record and is not made again; one that was
stopped continues where it was. Accuracy is the number of people whose birthplace is answered to the letter.
"""

from __future__ import annotations

import argparse
import fcntl
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from benchmarks.original.people import People, people
from benchmarks.original.picture import draw
from benchmarks.original.recipes import RECIPES
from benchmarks.original.run import Job, Point, Run, run
from benchmarks.paths import RESULTS, ROOT
from course_utils.device import set_threads
from course_utils.engine.files import write_atomically
from course_utils.errors import CourseError
from course_utils.metrics import mean_interval


def summary(runs: Sequence[Run]) -> str:
    """One line per recipe, split and length: mean of people right with its 95 % interval over seeds, minutes, loss."""
    lines = [
        f"{'recipe':<28}{'split':<7}{'read':>5}  {'right of':<9}{'mean':>6}  {'95 %, seeds':<14}{'minutes':>8}  loss"
    ]
    for group in dict.fromkeys((r.recipe, r.split, r.readings) for r in runs):
        mine = [r for r in runs if (r.recipe, r.split, r.readings) == group]
        mean, low, high = mean_interval([100 * r.right / r.people for r in mine])
        interval = f"{low:.1f} to {high:.1f}" if len(mine) > 1 else "one seed"
        crossed = [100 * r.crossed / (4 * r.people) for r in mine if r.crossed is not None]
        whole = f"  crossed {sum(crossed) / len(crossed):.1f} %" if crossed else ""
        lines.append(
            f"{group[0]:<28}{group[1]:<7}{group[2]:>5}  {mine[0].people:<9}{mean:5.1f} %  {interval:<14}"
            f"{sum(r.seconds for r in mine) / len(mine) / 60:8.1f}  {sum(r.loss for r in mine) / len(mine):.3f}{whole}"
        )
    return "\n".join(lines)


def read_record(path: Path) -> list[Run]:
    """The runs in a record; none where there is no file."""
    if not path.exists():
        return []
    runs = json.loads(path.read_text(encoding="utf-8"))["runs"]
    return [Run(**{**r, "curve": [Point(**point) for point in r["curve"]]}) for r in runs]


def write_record(path: Path, runs: Sequence[Run]) -> None:
    """All runs, with the settings of every recipe that made one."""
    settings = {named: asdict(RECIPES[named]) for named in dict.fromkeys(r.recipe for r in runs)}
    text = json.dumps({"recipes": settings, "runs": [asdict(r) for r in runs]}, indent=1, ensure_ascii=False)
    write_atomically(path, text + "\n")


def main(argv: Sequence[str] | None = None) -> int:
    """Make the runs asked for that the record lacks; 2 for bad input or an interruption."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("folder", type=Path, help="with wiki.txt, birth_places_train.tsv and birth_dev.tsv")
    parser.add_argument(
        "--only", nargs="+", default=["beginnings", "slow finetuning"], metavar="RECIPE", help=", ".join(RECIPES)
    )
    parser.add_argument("--split", default="0", help="whole, or the number of a seventh; default 0")
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2, 3, 4])
    parser.add_argument("--readings", type=int, help="of every document; default: the recipe's own")
    parser.add_argument("--points", type=int, default=9, help="measurements during a pretraining")
    parser.add_argument("--no-scratch", action="store_true", help="leave out finetuning from fresh weights")
    parser.add_argument("--crossed", action="store_true", help="also ask every trained person, by four finetunings")
    parser.add_argument("--record", type=Path, default=RESULTS / "original_seventh.json")
    parser.add_argument("--aside", type=Path, default=ROOT / "build" / "original", help="states of unfinished runs")
    args = parser.parse_args(argv)
    try:
        if unknown := sorted(set(args.only) - set(RECIPES)):
            raise CourseError(f"There is no recipe {unknown[0]!r}; choose among: {', '.join(RECIPES)}.")
        set_threads(1)
        p = people(args.folder, args.split)
        args.aside.mkdir(parents=True, exist_ok=True)
        for seed in args.seeds:
            for named in args.only:
                readings = args.readings or RECIPES[named].readings
                job = Job(named, args.split, seed, readings, args.points, args.crossed, not args.no_scratch)
                _one(job, p, args.record, args.aside)
        runs = read_record(args.record)
        print(summary(runs))
        if shown := [r for r in runs if r.split == args.split]:
            print(f"figure: {draw(shown, args.record.with_suffix('.png'))}")
    except CourseError as error:
        print(error, file=sys.stderr)
        return 2
    return 0


def _one(job: Job, p: People, record: Path, aside: Path) -> None:
    """Make one run and enter it, unless the record has it."""
    if job.key in {r.key for r in read_record(record)}:
        return
    print(f"{job.recipe}, split {job.split}, seed {job.seed}, {job.readings} readings", flush=True)
    done = run(job, p, aside)
    with (aside / "lock").open("w") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)  # runs of several processes go into one record
        write_record(record, [*read_record(record), done])
    print(summary([done]), flush=True)


if __name__ == "__main__":
    raise SystemExit(main())
