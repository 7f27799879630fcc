"""The course's central experiment on one fresh world: what is pretraining on its wiki worth?

Four ways to answer "Where was [person] born?" about people whose question was never trained: always the most frequent town,
finetuning from scratch, finetuning after pretraining on the world's wiki, and finetuning after pretraining on the wiki of
another world. The demo, the tests and the calibration of the grading thresholds all run this one.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import statistics
import threading
import zlib
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Executor, Future, ProcessPoolExecutor, as_completed
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure
from tqdm.auto import tqdm

from course_utils import plots
from course_utils.checkpoint import load_model, save_weights
from course_utils.config import PROFILES
from course_utils.corpora.world import World, generate
from course_utils.data import write_predictions
from course_utils.device import seed_everything, set_threads
from course_utils.engine.files import write_atomically
from course_utils.generate import answer_questions
from course_utils.model import GPT
from course_utils.vocab import Vocabulary
from solutions.reference import knowledge
from solutions.reference.knowledge import accuracy, london_baseline

Seed = int | str  # whatever world.generate takes
CONDITIONS = ("scratch", "pretrained", "other_world")


@dataclass
class ConditionResult:
    """One way to train, on one world: accuracies in [0, 1], seconds of the training.

    Attributes:
        curve: accuracy on the dev people after every epoch.
        train: accuracy on the people it was finetuned on.
    """

    name: str
    seed: Seed
    curve: list[float]
    train: float
    dev: float
    test: float
    seconds: float


@dataclass
class ExperimentResult:
    """All worlds of one run; ``majority`` and the conditions by world seed."""

    seeds: list[Seed]
    majority: dict[Seed, float] = field(default_factory=dict)
    results: dict[str, dict[Seed, ConditionResult]] = field(default_factory=lambda: {name: {} for name in CONDITIONS})

    def test(self, condition: str) -> list[float]:
        """Accuracy on test people, world by world."""
        values = (
            self.majority if condition == "majority" else {seed: a.test for seed, a in self.results[condition].items()}
        )
        return [values[seed] for seed in self.seeds]

    def curves(self, condition: str) -> list[list[float]]:
        """Dev accuracy by epoch, world by world."""
        return [self.results[condition][seed].curve for seed in self.seeds]


def draws(seed: Seed) -> int:
    """The seed of weights and batches that belongs to a world's seed."""
    return zlib.crc32(str(seed).encode())


def place(folder: Path, seed: Seed) -> Path:
    """Where the files of one world lie."""
    return Path(folder) / str(seed).replace("/", "-")


def vocabulary(world: World) -> Vocabulary:
    """The characters of the world's wiki, as the notebook makes it."""
    return Vocabulary.from_text("\n".join(world.wiki) + "\n")


def pretrain(seed: Seed, folder: Path, profile: str = "laptop", attention: str = "vanilla") -> float:
    """Pretrain on the wiki of world ``seed``, save ``pretrained.safetensors``, and return the seconds (0 if it was there)."""
    path = Path(folder) / "pretrained.safetensors"
    if path.is_file():
        return 0.0
    path.parent.mkdir(parents=True, exist_ok=True)
    world, settings = generate(seed), PROFILES[profile]
    vocab = vocabulary(world)
    seed_everything(draws(seed))
    model = GPT(settings.model_for(len(vocab), attention))
    history = knowledge.pretrain(model, world.wiki, vocab, replace(settings.pretrain, seed=draws(seed)))
    save_weights(path, model, vocab)
    return history.seconds


def finetune(condition: str, seed: Seed, folder: Path, start: Path | None, profile: str = "laptop") -> ConditionResult:
    """Finetune on the train people of world ``seed``, from ``start`` or from scratch; save ``<condition>.json``.

    A result that is there already is read instead.
    """
    result = Path(folder) / f"{condition}.json"
    if result.is_file():
        return ConditionResult(**json.loads(result.read_text()))
    world, settings = generate(seed), PROFILES[profile]
    vocab = vocabulary(world)
    seed_everything(draws(seed))
    model = GPT(settings.model_for(len(vocab))) if start is None else load_model(start, vocab)
    config = settings.scratch if start is None else settings.finetune
    history = knowledge.finetune(
        model, world.train, vocab, replace(config, seed=draws(seed)), evaluate=lambda m: accuracy(m, vocab, world.dev)
    )
    scores = [accuracy(model, vocab, questions) for questions in (world.train, world.dev, world.test)]
    Path(folder).mkdir(parents=True, exist_ok=True)
    if condition == "pretrained":
        hand_in(model, vocab, world, Path(folder))
    train_score, dev_score, test_score = scores
    found = ConditionResult(condition, seed, history.accuracy, train_score, dev_score, test_score, history.seconds)
    write_atomically(result, json.dumps(asdict(found)))
    return found


def hand_in(model: GPT, vocab: Vocabulary, world: World, folder: Path) -> None:
    """The files that a student hands in beside notebook 07: weights and predictions."""
    save_weights(folder / "finetuned.safetensors", model, vocab)
    write_predictions(folder / "test_predictions.txt", answer_questions(model, vocab, world.test)[0])


def run_worlds(
    seeds: Sequence[Seed],
    folder: Path,
    workers: int = 2,
    profile: str = "laptop",
    conditions: Sequence[str] = CONDITIONS,
    advance: Callable[[str], Any] | None = None,
) -> ExperimentResult:
    """The experiment on several worlds, ``workers`` trainings at a time with one thread each; finished parts are kept.

    ``advance`` is called with a sentence after every finished part (there are ``len(seeds) * (1 + len(conditions))``). The
    other world of each world is the next one in ``seeds``, so no pretraining is spent on it alone; it takes at least two
    seeds.
    """
    worlds = {seed: generate(seed) for seed in seeds}
    baselines = {seed: london_baseline(world.train, world.test)[1] for seed, world in worlds.items()}
    outcome = ExperimentResult(list(seeds), baselines)
    context = multiprocessing.get_context("spawn")  # torch's threads do not survive a fork
    with ProcessPoolExecutor(workers, mp_context=context, initializer=_begin) as pool:
        report = advance or (lambda _: None)
        for found in _all_trainings(pool, workers, list(seeds), Path(folder), profile, conditions, report):
            outcome.results[found.name][found.seed] = found
    return outcome


def _begin() -> None:
    """One thread per process; and no training goes on for nobody when its parent was killed."""
    set_threads(1)
    parent = multiprocessing.parent_process()

    def leave() -> None:
        if parent is not None:
            parent.join()
            os._exit(1)

    threading.Thread(target=leave, daemon=True).start()


def _all_trainings(
    pool: Executor,
    workers: int,
    seeds: list[Seed],
    folder: Path,
    profile: str,
    conditions: Sequence[str],
    advance: Callable[[str], Any],
) -> list[ConditionResult]:
    """Results of all trainings; a finetuning starts as soon as its pretraining is there, so that first results come early."""
    places = {seed: place(folder, seed) for seed in seeds}
    ready: deque[tuple[str, Seed, Path | None]] = deque(("", seed, None) for seed in seeds)
    if "scratch" in conditions:
        ready.extend(("scratch", seed, None) for seed in seeds)
    running: dict[Future, tuple[str, Seed]] = {}
    done: list[ConditionResult] = []
    while ready or running:
        while ready and len(running) < workers:
            condition, seed, start = ready.popleft()
            task = (
                (finetune, condition, seed, places[seed], start, profile)
                if condition
                else (pretrain, seed, places[seed], profile)
            )
            running[pool.submit(*task)] = (condition, seed)
        future = next(as_completed(running))
        condition, seed = running.pop(future)
        if condition:
            done.append(future.result())
            advance(f"world {seed}: {condition} {done[-1].test:.0%} of test people")
            continue
        advance(f"world {seed}: pretrained in {future.result():.0f} s")
        before = seeds[seeds.index(seed) - 1]  # this world is the other world of the one before it
        start = places[seed] / "pretrained.safetensors"
        follow = [("pretrained", seed, start), ("other_world", before, start)]
        ready.extendleft(one for one in follow if one[0] in conditions)
    return done


LABELS = {
    "scratch": "from scratch",
    "pretrained": "own wiki",
    "other_world": "another world's wiki",
}


def curves_figure(outcome: ExperimentResult) -> tuple[Figure, str]:
    """Dev accuracy against finetuning epoch, mean over the worlds with its 95 % band; the figure and its alt text."""
    epochs = min(len(outcome.curves(condition)[0]) for condition in CONDITIONS)
    curves = {LABELS[condition]: [curve[:epochs] for curve in outcome.curves(condition)] for condition in CONDITIONS}
    figure = plots.accuracy_curves(curves, baseline=statistics.fmean(outcome.test("majority")))
    means = {condition: statistics.fmean(curve[-1] for curve in curves[LABELS[condition]]) for condition in CONDITIONS}
    return figure, (
        f"Accuracy on dev people against finetuning epoch, mean over {len(outcome.seeds)} worlds with 95 % band. "
        f"After epoch {epochs}: pretrained on the wiki {means['pretrained']:.0%}, from scratch {means['scratch']:.0%}, "
        f"pretrained on another world's wiki {means['other_world']:.0%}."
    )


def progress_bar(total: int) -> tuple[tqdm, Callable[[str], None]]:
    """A bar for ``run_worlds`` and the function that moves it."""
    bar = tqdm(total=total, unit="training", desc="worlds")

    def advance(sentence: str) -> None:
        bar.set_postfix_str(sentence)
        bar.update()

    return bar, advance
