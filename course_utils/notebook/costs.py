"""Prediction of a notebook's minutes and memory on this machine, from a calibration of at most ten seconds.

``data/measured/costs.json`` has the minutes of every notebook on one machine, and how many small pieces of work take the
same time: starts of Python, and training steps of a small ``nn.TransformerEncoder`` or of the course's GPT. A slow disk or
interpreter makes imports, figures and checks slow, a processor without wide vector instructions makes training steps
slow. So the pieces are timed on this machine, and the minutes computed from them.
"""

from __future__ import annotations

import json
import math
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import torch
import torch.nn.functional as F
from torch import nn

from course_utils.config import PROFILES, Profile
from course_utils.engine.engine import pick_engine
from course_utils.engine.files import write_atomically
from course_utils.errors import CourseError
from course_utils.notebook.cost_table import measured, spoken
from course_utils.notebook.forecast import Steps, preflight
from course_utils.notebook.session import Course, being_graded

# The trainings of a notebook whose size depends on the profile; all other work is the same on every machine.
TRAININGS = {"07_knowledge": ("pretrain", "scratch", "finetune"), "08_other_attentions": ("pretrain", "finetune")}
TURN = 0.2  # seconds for which one piece is repeated before the next one
VOCABULARY = 64  # about the number of characters in data/world
Work = Callable[[], object]
Clock = Callable[[], float]


@dataclass(frozen=True)
class Cost:
    """Minutes of all cells of a solved notebook at its first run, and the process's largest memory in MiB."""

    minutes: float
    memory_mib: float

    def __str__(self) -> str:
        size = f"{self.memory_mib / 1024:.1f} GiB" if self.memory_mib >= 1024 else f"{self.memory_mib:.0f} MiB"
        return f"about {spoken(self.minutes)} and {size}"


def _start() -> None:
    """Start Python and import pyplot: most of the time of a notebook with small models goes into imports."""
    try:
        subprocess.run([sys.executable, "-c", "import matplotlib.pyplot"], check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError) as error:
        raise CourseError(f"A fresh Python could not be started ({error}); what this takes is not known.") from None


@contextmanager
def _one_thread() -> Iterator[None]:
    """Compute on one thread, as the notebooks with small models do."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def _encoder_step() -> Work:
    """A step of AdamW on a two-layer encoder, 64 wide, 32 rows of 40 tokens, on one thread."""
    layer = nn.TransformerEncoderLayer(64, 4, 128, 0.1, batch_first=True, norm_first=True)
    model = nn.Sequential(nn.TransformerEncoder(layer, 2, enable_nested_tensor=False), nn.Linear(64, 400))
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
    x, y = torch.randn(32, 40, 64), torch.randint(400, (32 * 40,))

    def step() -> None:
        with _one_thread():
            optimizer.zero_grad()
            F.cross_entropy(model(x).flatten(0, 1), y).backward()  # (B, T, V) -> (B*T, V)
            optimizer.step()

    return step


def _gpt_step() -> Work:
    """A step of the laptop profile's pretraining on rows of 32 tokens, in the number format picked here."""
    profile = PROFILES["laptop"]
    steps = Steps(profile.model_for(VOCABULARY), profile.pretrain, pick_engine(), time.perf_counter)
    return lambda: steps(32)


PIECES: dict[str, Callable[[], Work]] = {"start": lambda: _start, "encoder": _encoder_step, "gpt": _gpt_step}
"""For each piece of work, a function that prepares it; a call of the result does the work once."""


def calibrate(names: Iterable[str], seconds: float = 10.0, clock: Clock = time.perf_counter) -> dict[str, float]:
    """Mean seconds of each piece of work, timed in turns until the means are known to 3 %, or for ``seconds`` in all.

    The random state of the program is restored. The mean is used and not the minimum, because other work on a busy machine
    slows the notebook too. Raises CourseError for an unknown piece, or if no Python can be started.
    """
    kept = torch.get_rng_state()
    names = list(names)
    if unknown := set(names) - set(PIECES):
        raise CourseError(f"There is no piece of work {min(unknown)!r}; choose among {', '.join(PIECES)}.")
    made = {name: PIECES[name]() for name in names}
    taken: dict[str, list[float]] = {name: [] for name in names}
    for work in made.values():
        work()  # the first call allocates buffers
    begin = clock()
    while not all(taken.values()) or (clock() - begin < seconds and not all(map(_precise, taken.values()))):
        for name, times in taken.items():
            begun = clock()
            while clock() - begun < TURN:
                start = clock()
                made[name]()
                times.append(clock() - start)
    torch.set_rng_state(kept)
    return {name: sum(times) / len(times) for name, times in taken.items()}


def _precise(times: list[float]) -> bool:
    """Whether the mean's standard error is below 3 %, after at least four turns."""
    if len(times) < 4 or sum(times) < 4 * TURN:
        return False
    return statistics.stdev(times) / math.sqrt(len(times)) < 0.03 * statistics.mean(times)


def predict(notebook: str, data: Path, here: dict[str, float], profile: Profile, seconds: float = 10.0) -> Cost:
    """Minutes and memory of a notebook on this machine.

    Args:
        here: the result of :func:`calibrate`, with the notebook's own pieces at least.
        profile: ``laptop`` is what was measured; the larger trainings of another profile are forecast by a few steps.
        seconds: time limit of that forecast.

    Raises:
        CourseError: a notebook that was not measured.
    """
    record = measured(data)
    if notebook not in record["notebooks"]:
        known = ", ".join(record["notebooks"])
        raise CourseError(f"{notebook} was not measured; known are {known}.")
    entry = record["notebooks"][notebook]
    took, memory = sum(count * here[piece] for piece, count in entry["pieces"].items()), entry["memory_mib"]
    if notebook in TRAININGS and profile.name != "laptop":
        took *= 1 - entry["training_share"]
        lengths = {part: world_lengths(data)[part] for part in TRAININGS[notebook]}
        forecasts = preflight(profile, lengths, VOCABULARY, seconds=seconds).values()
        took += 60 * sum(f.minutes for f in forecasts)
        memory = max(memory, *(f.memory_mib for f in forecasts))
    return Cost(took / 60, memory)


def world_lengths(data: Path) -> dict[str, list[int]]:
    """Tokens per row of the three trainings on data/world: each line, and two MASKs."""

    def rows(name: str) -> list[int]:
        return [len(line) + 2 for line in (data / "world" / name).read_text(encoding="utf-8").splitlines()]

    questions = rows("birth_places_train.tsv")
    return {"pretrain": rows("wiki.txt"), "finetune": questions, "scratch": questions}


def announce(course: Course, seconds: float = 10.0) -> Cost | None:
    """Print the predicted cost of the notebook, if it was measured; print nothing during grading, which trains nothing."""
    if being_graded():
        return None
    entry = measured(course.data)["notebooks"].get(course.notebook)
    if entry is None:  # a new notebook
        print("What this notebook takes has not been measured yet.")
        return None
    try:
        here = calibration(course, entry["pieces"], seconds)
    except CourseError as error:  # the prediction is optional: the notebook runs on
        print(error)
        return None
    cost = predict(course.notebook, course.data, here, course.profile, seconds)
    print(f"This notebook, solved, will take {cost} of this machine, with everything trained anew.")
    return cost


def calibration(course: Course, names: Iterable[str], seconds: float = 10.0) -> dict[str, float]:
    """Seconds per piece of work here; saved beside the work folders, so that only the first notebook measures them."""
    try:
        kept = json.loads(_calibration_file(course).read_text(encoding="utf-8"))
        known = kept["pieces"] if kept["machine"] == _machine(course) else {}
    except (OSError, ValueError, KeyError, TypeError):
        known = {}
    if missing := [name for name in names if name not in known]:
        known = known | calibrate(missing, seconds)
        keep_calibration(course, known)
    return known


def keep_calibration(course: Course, pieces: Mapping[str, float]) -> None:
    """Save the calibration of this machine for :func:`calibration`."""
    path = _calibration_file(course)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(path, json.dumps({"machine": _machine(course), "pieces": dict(pieces)}) + "\n")


def _calibration_file(course: Course) -> Path:
    return course.work.parent / "calibration.json"


def _machine(course: Course) -> str:
    return f"{torch.__version__} {course.device} {torch.get_num_threads()} {os.cpu_count()} {pick_engine(course.device).dtype}"
