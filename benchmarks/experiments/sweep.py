"""Runs of several seeds and variants, one process each, on all GPUs or several CPU cores.

    python -m benchmarks.experiments.sweep --seeds 0 1 2 3 --slots cuda:0 cuda:1
    python -m benchmarks.experiments.sweep --variants vanilla synthesizer --seeds 0 1 --slots cpu cpu
    python -m benchmarks.experiments.sweep --variants scratch vanilla synthesizer rope --seeds 0      # the whole assignment, once

For a small model independent runs use several devices better than one run that is shared: no process waits for another.
Every run is one pretraining and one finetuning on a fresh world, a generated corpus (or on files of the original's format,
`--data FOLDER` with wiki.txt, birth_places_train.tsv and birth_dev.tsv), with the given profile. The variant `scratch` is
finetuned without pretraining. Finished runs are saved and skipped next time; `--json FILE` writes all of them with device,
versions, date and wall time.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch
from tqdm.auto import tqdm

from benchmarks.speed.measure import machine
from benchmarks.speed.variants import register_variant
from course_utils.attention import attention_class
from course_utils.config import PROFILES, detect_profile
from course_utils.corpora.world import generate
from course_utils.data import Question, read_task, vocabulary_of
from course_utils.device import seed_everything, set_threads
from course_utils.engine.engine import pick_engine
from course_utils.engine.files import write_atomically
from course_utils.engine.history import History
from course_utils.errors import CourseError
from course_utils.metrics import mean_interval
from course_utils.model import GPT
from course_utils.train import train
from course_utils.vocab import Vocabulary
from solutions.reference.knowledge import NameDataset, accuracy
from solutions.reference.span_corruption import corrupted_epochs

FILES = ("birth_places_train.tsv", "birth_dev.tsv")  # of --data
Command = Callable[["Job", str], list[str]]


@dataclass(frozen=True)
class Job:
    """One run; its result is a JSON file."""

    variant: str
    seed: int
    folder: Path

    @property
    def name(self) -> str:
        """Its name in messages and files."""
        return f"{self.variant}-{self.seed}"

    @property
    def result(self) -> Path:
        """The file of its result."""
        return self.folder / f"{self.name}.json"


def jobs_for(variants: Sequence[str], seeds: Sequence[int], folder: Path) -> list[Job]:
    """Every variant with every seed."""
    folder.mkdir(parents=True, exist_ok=True)
    return [Job(variant, seed, folder) for seed in seeds for variant in variants]


def run_all(jobs: Sequence[Job], slots: Sequence[str], command: Command, progress: bool = True) -> list[dict[str, Any]]:
    """Run all jobs, one at a time on each slot (a device), and return their results in order.

    Raises:
        CourseError: a run failed; the others are finished first.
    """
    waiting = [job for job in jobs if not job.result.is_file()]
    busy: dict[int, tuple[Job, subprocess.Popen[str]]] = {}
    failed: list[str] = []
    with tqdm(total=len(jobs), initial=len(jobs) - len(waiting), disable=not progress, unit="run") as bar:
        try:
            while waiting or busy:
                for i, slot in enumerate(slots):
                    if i not in busy and waiting:
                        job = waiting.pop(0)
                        busy[i] = job, _start(command(job, slot))
                for i in [i for i, (_, process) in busy.items() if process.poll() is not None]:
                    job, process = busy.pop(i)
                    error = process.communicate()[1]
                    bar.update()
                    if process.returncode or not job.result.is_file():
                        failed.append(f"{job.name}: {error.strip().splitlines()[-1] if error.strip() else 'no result'}")
                time.sleep(0.05)
        finally:  # also on Ctrl-C
            for _, process in busy.values():
                process.terminate()
    if failed:
        raise CourseError(f"{len(failed)} of {len(jobs)} runs failed; the first: {failed[0]}")
    return [json.loads(job.result.read_text(encoding="utf-8")) for job in jobs]


def _start(command: list[str]) -> subprocess.Popen[str]:
    """Start a process with its errors in a pipe and its other output dropped."""
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)


def one(options: argparse.Namespace, job: Job) -> dict[str, Any]:
    """Pretrain, finetune and evaluate; return accuracies in [0, 1] and seconds of each part."""
    register_variant(job.variant)
    wiki, vocab, learned, asked = _data(options.data, job.seed)
    profile, engine = PROFILES[options.profile], pick_engine(options.device)
    seed_everything(job.seed)
    scratch, attention = job.variant == "scratch", "vanilla" if job.variant == "scratch" else job.variant
    position = getattr(attention_class(attention), "position", "learned")
    model = GPT(profile.model_for(len(vocab), attention, position))
    first = History([float("nan")])
    if not scratch:
        source = corrupted_epochs(wiki, vocab, profile.model.block_size, job.seed, engine.device)
        config = _shorter(replace(profile.pretrain, seed=job.seed), options.steps)
        first = train(model, source, config, engine=engine, progress=False, resume=job.folder / f"{job.name}.state")
    dataset = NameDataset(learned, vocab, profile.model.block_size)
    config = replace(profile.scratch if scratch else profile.finetune, seed=job.seed)
    second = train(model, dataset, config, engine=engine, progress=False)
    start = time.perf_counter()
    scores = {"train": accuracy(model, vocab, learned), "test": accuracy(model, vocab, asked)}
    seconds = {"pretrain_s": first.seconds, "finetune_s": second.seconds, "evaluate_s": time.perf_counter() - start}
    told = {"variant": job.variant, "seed": job.seed, "profile": profile.name, "device": str(engine.device)}
    return told | scores | seconds | {"loss": None if scratch else first.loss[-1], "torch": torch.__version__}


def _shorter(config: Any, steps: int | None) -> Any:
    """The same training with another number of steps, if one is asked for."""
    return config if steps is None else replace(config, epochs=None, steps=steps)


def _data(folder: Path | None, seed: int) -> tuple[list[str], Vocabulary, list[Question], list[Question]]:
    """Documents, vocabulary, questions to train and questions to ask, from a fresh world or from files."""
    if folder is None:
        world = generate(f"sweep-{seed}")
        return world.wiki, vocabulary_of(world.wiki), world.train, world.test
    task = read_task(folder, *FILES)
    return task.wiki, task.vocab, *task.questions  # type: ignore[return-value]


def summary(found: Sequence[dict[str, Any]]) -> str:
    """Mean accuracy of each variant with its 95 % interval over seeds, and mean seconds."""
    lines = []
    for variant in dict.fromkeys(row["variant"] for row in found):
        rows = [row for row in found if row["variant"] == variant]
        mean, low, high = mean_interval([row["test"] for row in rows])
        seconds = sum(row["pretrain_s"] + row["finetune_s"] + row["evaluate_s"] for row in rows) / len(rows)
        # one seed has no interval
        spread = f" ({low:.1%} to {high:.1%}) of {len(rows)} seeds" if len(rows) > 1 else ", one seed"
        lines.append(f"{variant}: {mean:.1%}{spread}, {seconds:.0f} s each")
    return "\n".join(lines)


def arguments_from(argv: Sequence[str] | None) -> argparse.Namespace:
    """The options of the command line; `--one` is for the child processes."""
    gpus = [f"cuda:{i}" for i in range(torch.cuda.device_count())]
    parser = argparse.ArgumentParser(prog="python -m benchmarks.experiments.sweep", description=__doc__.splitlines()[0])
    parser.add_argument("--variants", nargs="+", default=["vanilla"])
    parser.add_argument("--seeds", nargs="+", type=int, default=[0, 1, 2])
    parser.add_argument(
        "--slots", nargs="+", default=gpus or ["cpu"] * (os.cpu_count() or 1), help="devices, one run each"
    )
    parser.add_argument("--profile", default=detect_profile().name, choices=sorted(PROFILES))
    parser.add_argument("--data", type=Path, help="a folder of the original's files; default a fresh world per seed")
    parser.add_argument("--steps", type=int, help="pretraining steps, if not the profile's")
    parser.add_argument("--out", type=Path, default=Path("build/sweep"), help="where results are kept")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write everything there")
    parser.add_argument("--device", default="auto", help=argparse.SUPPRESS)
    parser.add_argument("--one", action="store_true", help=argparse.SUPPRESS)
    return parser.parse_args(argv)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the sweep, or one job of it."""
    options = arguments_from(argv)
    jobs = jobs_for(options.variants, options.seeds, options.out)
    extra = [] if options.data is None else ["--data", str(options.data)]
    extra += [] if options.steps is None else ["--steps", str(options.steps)]

    def command(job: Job, slot: str) -> list[str]:
        chosen = ["--variants", job.variant, "--seeds", str(job.seed), "--device", slot, "--profile", options.profile]
        return [
            sys.executable,
            "-m",
            "benchmarks.experiments.sweep",
            "--one",
            *chosen,
            "--out",
            str(options.out),
            *extra,
        ]

    try:
        if options.one:
            set_threads(1 if options.device == "cpu" else None)
            write_atomically(jobs[0].result, json.dumps(one(options, jobs[0]), indent=1) + "\n")
            return 0
        if options.data is not None:
            read_task(options.data, *FILES).tell()  # once, since the runs print nothing
        start = time.perf_counter()
        found = run_all(jobs, options.slots, command)
        wall = time.perf_counter() - start
    except CourseError as error:
        print(error, file=sys.stderr)
        return 2
    print(summary(found))
    print(f"all together {wall / 60:.1f} minutes on {', '.join(options.slots)}")
    if options.json:
        about = machine(torch.device(options.slots[0]))
        write_atomically(options.json, json.dumps({"machine": about, "wall_s": wall, "runs": found}, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
