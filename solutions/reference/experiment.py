"""The course's central experiment on one fresh world: what is pretraining on its wiki worth?

Four ways to answer "Where was [person] born?" about people whose question was never trained: always the most frequent town,
finetuning from scratch, finetuning after pretraining on the world's wiki, and finetuning after pretraining on the wiki of
another world. The demo, the tests and the calibration of the grading thresholds all run this one.
"""

from __future__ import annotations

import json
import multiprocessing
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import Executor, Future, ProcessPoolExecutor, as_completed
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from torch import nn
from tqdm.auto import tqdm

from course_utils.checkpoint import load_model, save_weights
from course_utils.config import PROFILES
from course_utils.data import Question, write_atomically, write_predictions
from course_utils.decode import answer_questions
from course_utils.metrics import exact_match
from course_utils.model import GPT
from course_utils.runtime import seed_everything, set_threads
from course_utils.train import train
from course_utils.vocab import Vocabulary
from course_utils.world import World, generate
from solutions.reference.knowledge import NameDataset
from solutions.reference.span_corruption import corrupted_epochs

ARMS = ("scratch", "pretrained", "other_world")


@dataclass
class Arm:
    """One way to train, on one world: accuracies in [0, 1], seconds of the training.

    Attributes:
        curve: accuracy on the dev people after every epoch.
        train: accuracy on the people it was finetuned on.
    """

    name: str
    seed: int
    curve: list[float]
    train: float
    dev: float
    test: float
    seconds: float


@dataclass
class Outcome:
    """All worlds of one run; ``majority`` and the arms by world seed."""

    seeds: list[int]
    majority: dict[int, float] = field(default_factory=dict)
    arms: dict[str, dict[int, Arm]] = field(default_factory=lambda: {name: {} for name in ARMS})

    def test(self, arm: str) -> list[float]:
        """Accuracy on test people, world by world."""
        values = self.majority if arm == "majority" else {seed: a.test for seed, a in self.arms[arm].items()}
        return [values[seed] for seed in self.seeds]

    def curves(self, arm: str) -> list[list[float]]:
        """Dev accuracy by epoch, world by world."""
        return [self.arms[arm][seed].curve for seed in self.seeds]


def vocabulary(world: World) -> Vocabulary:
    """The characters of the world's wiki, as the notebook makes it."""
    return Vocabulary.from_text("\n".join(world.wiki) + "\n")


def majority(world: World) -> float:
    """Accuracy on test people of always naming the town most frequent in training."""
    town = Counter(q.answer for q in world.train).most_common(1)[0][0]
    return exact_match([town or ""] * len(world.test), [q.answer or "" for q in world.test])


def accuracy(model: nn.Module, vocab: Vocabulary, questions: Sequence[Question]) -> float:
    """Share of questions answered exactly."""
    answers, _ = answer_questions(model, vocab, questions)
    return exact_match(answers, [q.answer or "" for q in questions])


def pretrain(seed: int, folder: Path, profile: str = "laptop", attention: str = "vanilla") -> float:
    """Pretrains on the wiki of world ``seed`` and writes ``pretrained.safetensors``; seconds it took (0 if it was there)."""
    path = Path(folder) / "pretrained.safetensors"
    if path.is_file():
        return 0.0
    path.parent.mkdir(parents=True, exist_ok=True)
    world, settings = generate(seed), PROFILES[profile]
    vocab = vocabulary(world)
    seed_everything(seed)
    model = GPT(settings.model_for(len(vocab), attention))
    source = corrupted_epochs(world.wiki, vocab, settings.model.block_size, seed)
    history = train(model, source, settings.pretrain, progress=False, resume=path.with_suffix(".state"))
    save_weights(path, model, vocab)
    return history.seconds


def finetune(arm: str, seed: int, folder: Path, start: Path | None, profile: str = "laptop") -> Arm:
    """Finetunes on the train people of world ``seed``, from ``start`` or from scratch; result kept in ``<arm>.json``."""
    result = Path(folder) / f"{arm}.json"
    if result.is_file():
        return Arm(**json.loads(result.read_text()))
    world, settings = generate(seed), PROFILES[profile]
    vocab = vocabulary(world)
    seed_everything(seed)
    model = GPT(settings.model_for(len(vocab))) if start is None else load_model(start, vocab)
    config = settings.scratch if start is None else settings.finetune
    data = NameDataset(world.train, vocab, settings.model.block_size)
    history = train(model, data, config, evaluate=lambda m: accuracy(m, vocab, world.dev), progress=False)
    scores = [accuracy(model, vocab, questions) for questions in (world.train, world.dev, world.test)]
    if arm == "pretrained":
        hand_in(model, vocab, world, history.accuracy, Path(folder))
    found = Arm(arm, seed, history.accuracy, *scores, history.seconds)
    write_atomically(result, json.dumps(asdict(found)))
    return found


def hand_in(model: GPT, vocab: Vocabulary, world: World, curve: list[float], folder: Path) -> None:
    """The files that a student hands in beside notebook 07: weights and predictions."""
    save_weights(folder / "finetuned.safetensors", model, vocab)
    write_predictions(folder / "test_predictions.txt", answer_questions(model, vocab, world.test)[0])


def run_worlds(
    seeds: Sequence[int],
    folder: Path,
    workers: int = 2,
    profile: str = "laptop",
    arms: Sequence[str] = ARMS,
    advance: Callable[[str], Any] | None = None,
) -> Outcome:
    """The experiment on several worlds, ``workers`` trainings at a time with one thread each; finished parts are kept.

    ``advance`` is called with a sentence after every finished part (there are ``len(seeds) * (1 + len(arms))``). The other
    world of each world is the next one in ``seeds``, so no pretraining is spent on it alone; it takes at least two seeds.
    """
    outcome = Outcome(list(seeds), {seed: majority(generate(seed)) for seed in seeds})
    context = multiprocessing.get_context("spawn")  # torch's threads do not survive a fork
    with ProcessPoolExecutor(workers, mp_context=context, initializer=set_threads, initargs=(1,)) as pool:
        for arm in _arms(pool, list(seeds), Path(folder), profile, arms, advance or (lambda _: None)):
            outcome.arms[arm.name][arm.seed] = arm
    return outcome


def _arms(
    pool: Executor, seeds: list[int], folder: Path, profile: str, arms: Sequence[str], advance: Callable[[str], Any]
) -> list[Arm]:
    """All pretrainings first (they are the longest), each finetuning as soon as what it starts from is there."""
    places = {seed: folder / str(seed) for seed in seeds}
    waiting: dict[Future, tuple[str, int]] = {pool.submit(pretrain, s, places[s], profile): ("", s) for s in seeds}
    if "scratch" in arms:
        waiting |= {pool.submit(finetune, "scratch", s, places[s], None, profile): ("scratch", s) for s in seeds}
    done: list[Arm] = []
    while waiting:
        future = next(as_completed(waiting))
        arm, seed = waiting.pop(future)
        if arm:
            done.append(future.result())
            advance(f"world {seed}: {arm} {done[-1].test:.0%} of test people")
            continue
        advance(f"world {seed}: pretrained in {future.result():.0f} s")
        before = seeds[seeds.index(seed) - 1]  # this world is the other world of the one before it
        for name, own in (("pretrained", seed), ("other_world", before)):
            if name in arms:
                start = places[seed] / "pretrained.safetensors"
                waiting[pool.submit(finetune, name, own, places[own], start, profile)] = (name, own)
    return done


def main_progress(total: int) -> tuple[tqdm, Callable[[str], None]]:
    """A bar for ``run_worlds`` and the function that moves it."""
    bar = tqdm(total=total, unit="training", desc="worlds")

    def advance(sentence: str) -> None:
        bar.set_postfix_str(sentence)
        bar.update()

    return bar, advance
