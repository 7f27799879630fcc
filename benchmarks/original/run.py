"""One pretraining on the original's texts, with measurements on the way, and the finetunings after it."""

from __future__ import annotations

import copy
import json
import math
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from benchmarks.original.people import People, by_expression
from benchmarks.original.recipes import RECIPES, Recipe
from benchmarks.speed.measure import machine, synchronize
from benchmarks.speed.variants import register_variant
from course_utils.attention import attention_class
from course_utils.checkpoint import load_into, load_weights, save_weights
from course_utils.config import TrainConfig
from course_utils.data import Question
from course_utils.device import pick_device, seed_everything
from course_utils.engine.files import write_atomically
from course_utils.errors import CourseError
from course_utils.generate import answer_questions
from course_utils.metrics import count_correct
from course_utils.model import GPT
from course_utils.train import train
from course_utils.vocab import Vocabulary
from solutions.reference.knowledge import NameDataset, london_baseline
from solutions.reference.span_corruption import corrupt_batch, corruption_table

KEEP_EVERY = 10.0  # seconds between two notes of how long the pretraining took


@dataclass
class Point:
    """What a pretraining had reached: seconds and readings of every document so far, people answered rightly."""

    seconds: float
    readings: float
    right: int


@dataclass
class Run:
    """One pretraining and what came after it.

    Attributes:
        right, people: people of dev answered to the letter, and how many were asked.
        crossed: the same for all people of the split, each finetuned on the other three quarters; None if not asked for.
        trained: share (0..1) of the trained people answered to the letter.
        scratch: people of dev answered rightly when finetuned from fresh weights; None if not asked for.
        seconds: of pretraining: CPU seconds of one thread, or on a GPU seconds of the clock; see `now`.
        loss: in nats per token, mean of the last twentieth of the steps.
        curve: finetuned copies of the model before the end, whose learning rate had not fallen yet.
    """

    recipe: str
    split: str
    seed: int
    readings: int
    right: int
    people: int
    crossed: int | None
    trained: float
    scratch: int | None
    expression: int
    frequent: int
    seconds: float
    finetune_seconds: float
    loss: float
    curve: list[Point]
    machine: dict[str, Any]

    @property
    def key(self) -> tuple[str, str, int, int]:
        """What makes it another run than others."""
        return self.recipe, self.split, self.seed, self.readings


class Pretraining:
    """Epochs of a recipe, and the measurements between them; kept in a file beside the training's state."""

    def __init__(self, recipe: Recipe, p: People, vocab: Vocabulary, seed: int, points: int, aside: Path) -> None:
        self.recipe, self.people, self.vocab, self.seed, self.aside = recipe, p, vocab, seed, aside
        self.epoch = 0
        self.epochs = recipe.readings // recipe.copies
        self.marks = {round(self.epochs * (i + 1) / (points + 1)) for i in range(points)}
        self.device = pick_device()
        self.seconds, self.curve = 0.0, {}
        self.loss = math.nan  # in nats, once it has ended
        if aside.exists():
            known = json.loads(aside.read_text(encoding="utf-8"))
            self.seconds, self.curve = known["seconds"], {int(k): Point(**v) for k, v in known["curve"].items()}
            self.loss = known.get("loss", self.loss)
        self.since, self.kept = now(self.device), time.monotonic()

    def source(self) -> Iterator[tuple[Tensor, Tensor]]:
        """Epochs X, Y, each (copies * N, t): every document corrupted `copies` times, in short blocks at first."""
        r, documents = self.recipe, self.people.documents * self.recipe.copies
        generator = torch.Generator(self.device).manual_seed(self.seed)
        tables = {t: corruption_table(documents, self.vocab, t) for t in (r.short_block, r.model.block_size)}
        blocks = {t: (ids.to(self.device), lengths.to(self.device)) for t, (ids, lengths) in tables.items()}
        while True:
            early = self.epoch < r.short * self.epochs
            t = r.short_block if early else r.model.block_size
            self.epoch += 1
            yield corrupt_batch(*blocks[t], t, generator, kept_between=None if early else r.kept)

    def evaluate(self, model: nn.Module) -> float:
        """After an epoch: keep the seconds, and at a mark what a finetuned copy answers; the share of people right then.

        The last share known is returned between marks, and 0 before the first.
        """
        self.seconds += now(self.device) - self.since
        marked = self.epoch in self.marks and self.epoch not in self.curve
        if marked:
            tuned = finetuned(model, self.recipe, self.people.trained, self.vocab, self.seed)
            right = answered(tuned, self.vocab, self.people.asked)
            self.curve[self.epoch] = Point(self.seconds, self.epoch * self.recipe.copies, right)
            print(f"  {self.seconds / 60:.1f} minutes: {right} of {len(self.people.asked)}", flush=True)
        if marked or time.monotonic() - self.kept > KEEP_EVERY:  # an epoch on a GPU takes some hundredths of a second
            self.keep()
        self.since = now(self.device)
        reached = [point.right for epoch, point in sorted(self.curve.items()) if epoch <= self.epoch]
        return reached[-1] / len(self.people.asked) if reached else 0.0

    def keep(self) -> None:
        """Write what was measured so far; the loss only once it is known."""
        kept: dict[str, Any] = {"seconds": self.seconds, "curve": {k: asdict(v) for k, v in self.curve.items()}}
        kept |= {} if math.isnan(self.loss) else {"loss": self.loss}
        write_atomically(self.aside, json.dumps(kept))
        self.kept = time.monotonic()

    def pretrained(self, model: GPT, config: TrainConfig, stem: str) -> GPT:
        """The model after its pretraining: that of the weights in `stem`.safetensors, if they are there with their loss.

        Raises:
            CourseError: they are not there, and the recipe takes those of another.
        """
        weights = self.aside.parent / f"{stem}.safetensors"
        if weights.exists() and not math.isnan(self.loss):
            return load_into(model, load_weights(weights)[0], weights)
        if other := self.recipe.weights_of:
            raise CourseError(
                f"There are no weights {weights}; run --only {other!r} with the same seed and split first."
            )
        state = self.aside.parent / f"{stem}.pt"
        history = train(model, self.source(), config, evaluate=self.evaluate, resume=state, tag=stem)
        last = history.loss[-max(1, history.steps // 20) :]
        self.loss = sum(last) / len(last)
        save_weights(weights, model, self.vocab)  # for questions that come later
        self.keep()
        return model


def now(device: torch.device) -> float:
    """CPU seconds of this process, which other work does not change; on a GPU the clock, once the device is done."""
    synchronize(device)
    return time.process_time() if device.type == "cpu" else time.perf_counter()


def finetuned(model: nn.Module, recipe: Recipe, questions: list[Question], vocab: Vocabulary, seed: int) -> nn.Module:
    """A copy of the model, trained on the questions and their answers."""
    tuned = copy.deepcopy(model)
    dataset = NameDataset(questions, vocab, recipe.model.block_size)
    train(tuned, dataset, replace(recipe.finetune, seed=seed), progress=False)
    return tuned


def answered(model: nn.Module, vocab: Vocabulary, questions: list[Question]) -> int:
    """How many of the questions are answered to the letter."""
    return count_correct(answer_questions(model, vocab, questions)[0], [q.answer for q in questions])


def crossed(model: nn.Module, recipe: Recipe, p: People, vocab: Vocabulary, seed: int) -> int:
    """People of trained and asked together who are answered rightly after finetuning on the other three quarters."""
    everybody = [*p.trained, *p.asked]
    quarter = len(everybody) // 4
    right = 0
    for i in range(4):
        held = everybody[i * quarter : (i + 1) * quarter]
        rest = everybody[: i * quarter] + everybody[(i + 1) * quarter :]
        right += answered(finetuned(model, recipe, rest, vocab, seed), vocab, held)
    return right


@dataclass(frozen=True)
class Job:
    """Which run is wanted: a recipe's name, a split, a seed, readings of every document, and what is measured."""

    recipe: str
    split: str
    seed: int
    readings: int
    points: int = 9  # measurements during the pretraining
    crossed: bool = False
    scratch: bool = True

    @property
    def key(self) -> tuple[str, str, int, int]:
        """What makes it another run than others."""
        return self.recipe, self.split, self.seed, self.readings

    @property
    def stem(self) -> str:
        """Name of the files of its pretraining, which may be that of another recipe."""
        parts = (RECIPES[self.recipe].weights_of or self.recipe, self.split, self.seed, self.readings)
        return "-".join(str(part).replace(" ", "_") for part in parts)


def run(job: Job, p: People, aside: Path) -> Run:
    """Pretrain, finetune and ask; an interrupted run continues from its files in the folder `aside`."""
    recipe = replace(RECIPES[job.recipe], readings=job.readings)
    task, seed = p.task(), job.seed
    vocab, p = task.vocab, replace(p, asked=task.fit(p.asked, "birth_dev.tsv"))
    task.tell()
    seed_everything(seed)
    register_variant(recipe.model.attention)
    position = getattr(attention_class(recipe.model.attention), "position", recipe.model.position)
    model = GPT(replace(recipe.model, vocab_size=len(vocab), position=position))
    scratch = answered(finetuned(model, recipe, p.trained, vocab, seed), vocab, p.asked) if job.scratch else None
    watch = Pretraining(recipe, p, vocab, seed, job.points, aside / f"{job.stem}.json")
    rows = len(p.documents) * recipe.copies  # of an epoch
    steps = watch.epochs * math.ceil(rows / recipe.pretrain.batch_size)
    model = watch.pretrained(model, replace(recipe.pretrain, steps=steps, seed=seed), job.stem)
    began = now(watch.device)
    tuned = finetuned(model, recipe, p.trained, vocab, seed)
    seconds = now(watch.device) - began
    return Run(
        recipe=job.recipe,
        split=job.split,
        seed=seed,
        readings=job.readings,
        right=answered(tuned, vocab, p.asked),
        people=len(p.asked),
        crossed=crossed(model, recipe, p, vocab, seed) if job.crossed else None,
        trained=answered(tuned, vocab, p.trained) / len(p.trained),
        scratch=scratch,
        expression=by_expression(p),
        frequent=round(london_baseline(p.trained, p.asked)[1] * len(p.asked)),
        seconds=watch.seconds,
        finetune_seconds=seconds,
        loss=watch.loss,
        curve=[] if recipe.weights_of else list(watch.curve.values()),  # its points are of the other finetuning
        machine=machine(watch.device),
    )
