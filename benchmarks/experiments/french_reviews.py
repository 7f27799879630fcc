"""What pretraining is worth on real reviews: accuracy on dev against the number of labels.

    python -m benchmarks.experiments.french_reviews FOLDER      # train.review.spm, train.label, dev…, dict.txt

A causal language model, as in notebook 05, reads the reviews without their labels: those of train and dev (transductive:
the dev texts are read before they are judged, their labels are not), or those of train alone. Then four conditions learn from
50 to 1,600 labels: the pretrained Transformer, the same Transformer from scratch, a logistic regression on the mean of a
review's pretrained word vectors, and a bag of words (naive Bayes), which counts the pieces of the whole review. A seed
draws the labelled reviews, half of either side, the fresh weights and the order. Runs of one seed are paired.

Finished runs are in the record and are not made again. `--held-out 400` judges on the last 200 reviews of either side of
train instead, which then give no labels: so settings are chosen (`--set finetune_steps=200`) without the reviews that
are reported on.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any

import safetensors.torch
import torch
import torch.nn.functional as F
from torch import Tensor, nn
from tqdm.auto import tqdm

from benchmarks.experiments.french_reviews_figure import draw, summary
from benchmarks.paths import RESULTS, ROOT
from benchmarks.speed.measure import machine
from course_utils.corpora.reviews import read_pieces
from course_utils.device import pick_device, set_threads
from course_utils.engine.files import write_atomically
from course_utils.errors import CourseError
from course_utils.lessons.transfer import (
    PAD,
    ReviewData,
    bag_of_words,
    batches,
    labelled_batches,
    load_reviews,
    scheduled,
    word_vectors_alone,
)
from solutions.reference import transfer

OUT = RESULTS / "french_reviews.json"
KEPT = ROOT / "build" / "french_reviews"  # pretrained weights
LABELS = (50, 100, 200, 400, 1600)
READ = {"pretrained": "train and dev", "pretrained on the training texts": "train"}
CONDITIONS = (*READ, "from scratch", "word vectors", "bag of words")


@dataclass(frozen=True)
class Settings:
    """Sizes and rates, chosen with ``--held-out 400`` and other seeds."""

    pieces: int = 3000
    longest: int = 128
    width: int = 64
    pretrain_epochs: int = 24
    pretrain_rate: float = 3e-3
    finetune_steps: int = 100
    finetune_epochs: int = 3
    batch: int = 16
    base_rate: float = 1e-3
    head_rate: float = 3e-3
    scratch_rate: float = 1e-3

    @property
    def sizes(self) -> tuple[int, int, int, int, float]:
        """Width, heads, layers, feed-forward width, dropout."""
        return self.width, 4, 2, 2 * self.width, 0.1

    def steps(self, labels: int) -> int:
        """Steps of finetuning: many passes over few reviews, ``finetune_epochs`` over many."""
        return max(self.finetune_steps, self.finetune_epochs * -(-labels // self.batch))


class Pooled(nn.Module):
    """The verdict on the mean of a review's states."""

    def __init__(self, model: Any) -> None:
        super().__init__()
        self.model = model

    def forward(self, x: Tensor) -> Tensor:
        """(B, T) -> (B, 2)."""
        real = (x != PAD).float().unsqueeze(-1)  # (B, T, 1)
        return self.model.head((self.model.base(x) * real).sum(1) / real.sum(1))  # (B, T, D) -> (B, D) -> (B, 2)


class Experiment:
    """The reviews of a folder as ids, and the runs on them."""

    def __init__(self, folder: Path, settings: Settings, held_out: int, kept: Path) -> None:
        data, self.settings, self.kept = load_reviews(folder), settings, kept
        texts = {"train": data.train, "train and dev": [*data.train, *data.dev]}
        names = read_pieces(folder, texts["train and dev"], settings.pieces)
        place = {piece: number for number, piece in enumerate(names, 4)}

        def ids(part: Sequence[str]) -> list[list[int]]:
            return [[place.get(p, transfer.UNK) for p in text.split()][: settings.longest] for text in part]

        self.unlabelled = {name: ids(part) for name, part in texts.items()}
        self.data = replace(_within_train(data, held_out) if held_out else data, pieces=names)
        self.ids = {"train": ids(self.data.train), "dev": ids(self.data.dev)}
        self.models: dict[str, Any] = {}

    def fresh(self, classes: int | None = None) -> Any:
        """A model with fresh weights: a language model, or one for so many classes."""
        n = len(self.data.pieces) + 4
        return transfer.TextModel(n, classes or n, *self.settings.sizes)

    def pretrained(self, read: str) -> Any:
        """The language model of the texts ``read``: trained, or read from the file of an earlier call."""
        if read not in self.models:
            path = self.kept / f"{self._of_pretraining(read)}.safetensors"
            torch.manual_seed(0)
            model = self.fresh()
            if path.is_file():
                model.load_state_dict(safetensors.torch.load_file(path))
            else:
                self._pretrain(model, self.unlabelled[read])
                path.parent.mkdir(parents=True, exist_ok=True)
                write_atomically(path, safetensors.torch.save(model.state_dict()))
            self.models[read] = model.eval()
        return self.models[read]

    def _of_pretraining(self, read: str) -> str:
        """A name of all that the weights depend on."""
        s = self.settings
        about = [s.sizes, s.pretrain_epochs, s.pretrain_rate, self.data.pieces, self.unlabelled[read]]
        return hashlib.sha256(json.dumps(about).encode()).hexdigest()[:16]

    def _pretrain(self, model: Any, texts: list[list[int]]) -> None:
        """Train the language model in place, as notebook 05 does."""
        s = self.settings
        optimizer = scheduled(
            torch.optim.AdamW(model.parameters(), lr=s.pretrain_rate), s.pretrain_epochs * -(-len(texts) // 32)
        )
        for epoch in tqdm(range(s.pretrain_epochs), desc="pretraining", disable=None):
            transfer.train_epoch(model, optimizer, batches(texts, transfer.lm_batch, 32, epoch), transfer.lm_loss)

    def run(self, condition: str, labels: int, seed: int) -> dict[str, float]:
        """Accuracy on dev (0..1) of one condition after it has learned from ``labels`` reviews, and CPU seconds of this run."""
        chosen = drawn(self.data.train_labels, labels, seed)
        few = replace(
            self.data,
            train=[self.data.train[i] for i in chosen],
            train_labels=[self.data.train_labels[i] for i in chosen],
        )
        ids = {"train": [self.ids["train"][i] for i in chosen], "dev": self.ids["dev"]}
        base = (
            self.pretrained(READ.get(condition, "train and dev"))
            if condition not in ("from scratch", "bag of words")
            else None
        )
        began = time.process_time()
        if condition == "bag of words":
            share = bag_of_words(few)
        elif condition == "word vectors":
            share = word_vectors_alone(base.base.embedding.weight, ids, few)
        else:
            share = self._finetune(base, ids, few, seed)
        return {"accuracy": share, "cpu_s": round(time.process_time() - began, 1)}

    def _finetune(self, base: Any, ids: dict[str, list[list[int]]], few: ReviewData, seed: int) -> float:
        """Train a copy of the base, or a fresh model if it is None, on the labelled reviews; its accuracy on dev."""
        s, steps = self.settings, self.settings.steps(len(few.train))
        torch.manual_seed(seed)
        model = self.fresh(2) if base is None else transfer.transfer(base, 2)
        rate = s.scratch_rate if base is None else s.base_rate
        parts = [
            {"params": model.base.parameters(), "lr": rate},
            {"params": model.head.parameters(), "lr": s.head_rate},
        ]
        optimizer, classifier = scheduled(torch.optim.Adam(parts), steps), Pooled(model)
        done = epoch = 0
        while done < steps:
            order = 1000 * seed + epoch
            rows = labelled_batches(ids["train"], few.train_labels, transfer.lm_batch, s.batch, order)
            rows = rows[: steps - done]
            transfer.train_epoch(classifier, optimizer, rows, F.cross_entropy)
            done, epoch = done + len(rows), epoch + 1
        order_of = sorted(range(len(few.dev)), key=lambda i: len(ids["dev"][i]))  # similar lengths need little padding
        dev = [ids["dev"][i] for i in order_of], [few.dev_labels[i] for i in order_of]
        return transfer.accuracy(classifier, labelled_batches(*dev, transfer.lm_batch, 50, None))


def _within_train(data: ReviewData, held_out: int) -> ReviewData:
    """The training reviews alone, the last ones of either side in the place of dev: a file may hold one side first."""
    sides = [[i for i, y in enumerate(data.train_labels) if y == side] for side in (0, 1)]
    if held_out % 2 or not 0 < held_out // 2 < min(map(len, sides)):
        raise CourseError(
            f"{held_out} of {len(data.train)} training reviews cannot be held out, half of either side; choose fewer, and "
            "an even number."
        )
    kept_back = sorted(i for side in sides for i in side[-held_out // 2 :])
    left = sorted({*range(len(data.train))} - {*kept_back})
    return replace(
        data,
        train=[data.train[i] for i in left],
        train_labels=[data.train_labels[i] for i in left],
        dev=[data.train[i] for i in kept_back],
        dev_labels=[data.train_labels[i] for i in kept_back],
    )


def drawn(labels: Sequence[int], n: int, seed: int) -> list[int]:
    """Places of ``n`` labelled reviews, half of either side, drawn with the seed; all if there are no more."""
    if n >= len(labels):
        return list(range(len(labels)))
    sides: list[list[int]] = [[i for i, y in enumerate(labels) if y == side] for side in (0, 1)]
    if n % 2 or n // 2 > min(map(len, sides)):
        raise CourseError(f"{n} labels cannot be drawn, half of either side, from {len(labels)} reviews.")
    rng = random.Random(f"labels {seed}")
    return [i for side in sides for i in rng.sample(side, n // 2)]


def measure(
    experiment: Experiment, record: dict[str, Any], jobs: Sequence[tuple[str, int, int]], save: Callable[[], None]
) -> None:
    """Make the runs (condition, labels, seed) that the record lacks; save after each."""
    for condition, labels, seed in tqdm(jobs, desc="runs", disable=None):
        runs = record["runs"].setdefault(str(labels), {}).setdefault(condition, {})
        if str(seed) not in runs:
            runs[str(seed)] = experiment.run(condition, labels, seed)
            save()


def settings_from(changes: Sequence[str]) -> Settings:
    """The settings with changes such as ``width=128``. Raises CourseError for another name or no number."""
    types = {field.name: type(getattr(Settings(), field.name)) for field in fields(Settings)}
    made = Settings()
    for change in changes:
        name, _, value = change.partition("=")
        try:
            made = replace(made, **{name: types[name](value)})
        except (KeyError, ValueError):
            raise CourseError(f"{change} is not NAME=NUMBER with one of: {', '.join(types)}.") from None
    return made


def arguments() -> argparse.ArgumentParser:
    """The options of the command line."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.experiments.french_reviews", description=(__doc__ or "").splitlines()[0]
    )
    parser.add_argument("folder", type=Path, help="with train.review.spm, train.label, dev…, dict.txt")
    parser.add_argument("--labels", type=int, nargs="+", default=LABELS)
    parser.add_argument("--seeds", type=int, default=10, help="runs of each condition and number of labels")
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--conditions", nargs="+", default=CONDITIONS, choices=CONDITIONS)
    parser.add_argument(
        "--held-out", type=int, default=0, metavar="N", help="judge on the last N/2 training reviews of either side"
    )
    parser.add_argument("--set", nargs="+", default=[], metavar="NAME=NUMBER", help="settings, to choose them")
    parser.add_argument("--kept", type=Path, default=KEPT, help="where pretrained weights are kept")
    parser.add_argument("--out", type=Path, default=OUT, help="the record; the picture lies beside it")
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Make the missing runs, print the table, write record and picture; 2 for bad input."""
    options = arguments().parse_args(argv)
    set_threads(1)
    try:
        settings = settings_from(options.set)
        experiment = Experiment(options.folder, settings, options.held_out, options.kept)
        record = _record(options.out, experiment, options.held_out)
        seeds = range(options.first_seed, options.first_seed + options.seeds)
        jobs = [
            (condition, labels, seed) for seed in seeds for labels in options.labels for condition in options.conditions
        ]

        def save() -> None:
            record["machine"] = machine(pick_device("cpu"))
            record["summary"] = summary(record["runs"])
            write_atomically(options.out, json.dumps(record, indent=1) + "\n")

        measure(experiment, record, jobs, save)
    except CourseError as error:
        print(error, file=sys.stderr)
        return 2
    for labels, row in record["summary"].items():
        print(f"{labels} labels: " + "; ".join(f"{name} {_told(value)}" for name, value in row.items()))
    draw(record, options.out.with_suffix(".png"))
    return 0


def _record(path: Path, experiment: Experiment, held_out: int) -> dict[str, Any]:
    """The record of earlier runs with the same settings and texts, or a new one. Raises CourseError for another record."""
    about = {
        "settings": asdict(experiment.settings),
        "texts": {
            "train": len(experiment.data.train),
            "dev": len(experiment.data.dev),
            "fingerprint": experiment.data.fingerprint,
        },
        "held_out": held_out,
    }
    if not path.is_file():
        return about | {"runs": {}}
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    if any(found.get(key) != value for key, value in about.items()):
        raise CourseError(f"{path} is of other settings or texts; give another file with --out.")
    return found


def _told(mean_low_high: Sequence[float]) -> str:
    mean, low, high = (f"{100 * value:.1f}" for value in mean_low_high)
    return f"{mean} ({low} to {high})"


if __name__ == "__main__":
    raise SystemExit(main())
