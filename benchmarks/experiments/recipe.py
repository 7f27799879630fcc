"""The search for the settings of the laptop profile: one change at a time, on worlds that are used for nothing else.

    python -m benchmarks.experiments.recipe --worlds 2                      # everything: about 90 CPU seconds per row and world
    python -m benchmarks.experiments.recipe --only "as shipped" "block 128"

A world is a generated corpus of fictional people (`course_utils.corpora.world`). Every row is one pretraining and one
finetuning per world. Accuracy is measured on the people whose question was not trained, dev and test together: these
worlds are for choosing, reported figures come from others (`python -m benchmarks.thresholds.calibrate`). Rows are written
to build/recipe.json as they are finished.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from course_utils.config import LAPTOP, Profile
from course_utils.corpora.world import generate
from course_utils.device import seed_everything, set_threads
from course_utils.engine.engine import Engine, pick_engine
from course_utils.engine.files import write_atomically
from course_utils.errors import CourseError
from course_utils.metrics import wilson_interval
from course_utils.model import GPT
from course_utils.train import train
from course_utils.vocab import Vocabulary
from solutions.reference.knowledge import NameDataset, accuracy
from solutions.reference.span_corruption import corrupted_epochs


@dataclass(frozen=True)
class Change:
    """A change of the shipped profile: fields of its parts, and the number format."""

    model: dict[str, Any] = field(default_factory=dict)
    pretrain: dict[str, Any] = field(default_factory=dict)
    finetune: dict[str, Any] = field(default_factory=dict)
    dtype: str = "auto"

    def of(self, p: Profile) -> Profile:
        """The profile with the change made."""
        return replace(
            p,
            model=replace(p.model, **self.model),
            pretrain=replace(p.pretrain, **self.pretrain),
            finetune=replace(p.finetune, **self.finetune),
        )


CHANGES = {
    "as shipped": Change(),
    "float32": Change(dtype="fp32"),
    "8 heads": Change(model={"n_head": 8}),
    "block 128": Change(model={"block_size": 128}),
    "block 512": Change(model={"block_size": 512}),
    "batch 32": Change(pretrain={"batch_size": 32}),
    "1,000 steps": Change(pretrain={"steps": 1000}),
    # with fewer steps than are needed for full accuracy, differences in learning show
    "700 steps": Change(pretrain={"steps": 700}),
    "700 steps, random rows in 2 pieces": Change(pretrain={"steps": 700, "micro_batches": 2}),
    "700 steps, random rows in 8 pieces": Change(pretrain={"steps": 700, "micro_batches": 8}),
    "1,400 steps of batch 32": Change(pretrain={"steps": 1400, "batch_size": 32}),
    "350 steps of batch 128": Change(pretrain={"steps": 350, "batch_size": 128}),
    "192 wide, 1,000 steps": Change(model={"n_embd": 192, "n_head": 6}, pretrain={"steps": 1000}),
    "Muon 0.04": Change(pretrain={"muon_lr": 0.04}),
    "AdamW 1e-2": Change(pretrain={"lr": 1e-2}),
    "AdamW alone": Change(pretrain={"muon_lr": None}),
    "weight decay 0.01": Change(pretrain={"weight_decay": 0.01}),
    "weight decay 0.3": Change(pretrain={"weight_decay": 0.3}),
    "finetuning: batch 16": Change(finetune={"batch_size": 16}),
    "finetuning: 20 epochs of batch 64 at 2e-4": Change(finetune={"batch_size": 64, "epochs": 20, "lr": 2e-4}),
    "finetuning: 5e-5": Change(finetune={"lr": 5e-5}),
    "finetuning: 3e-4": Change(finetune={"lr": 3e-4}),
}


@dataclass
class Row:
    """One change on one world: accuracy in [0, 1] on `people` held-out people, CPU seconds of pretraining."""

    change: str
    world: str
    accuracy: float
    people: int
    seconds: float
    loss: float


def measure(name: str, world_seed: str) -> Row:
    """Pretrain and finetune with one change on one world."""
    change, world = CHANGES[name], generate(world_seed)
    settings, engine = change.of(LAPTOP), pick_engine("cpu", change.dtype)
    vocab = Vocabulary.from_text("\n".join(world.wiki))
    seed_everything(0)
    model = GPT(settings.model_for(len(vocab)))
    began = time.process_time()
    loss = _pretrain(model, world.wiki, vocab, settings, engine)
    seconds = time.process_time() - began
    questions = NameDataset(world.train, vocab, model.config.block_size)
    train(model, questions, settings.finetune, progress=False, engine=engine)
    held_out = [*world.dev, *world.test]
    return Row(name, world_seed, accuracy(model, vocab, held_out), len(held_out), seconds, loss)


def _pretrain(model: GPT, documents: list[str], vocab: Vocabulary, settings: Profile, engine: Engine) -> float:
    """Pretrain in place; the mean loss of the last 50 steps in nats."""
    config = settings.pretrain
    source = corrupted_epochs(documents, vocab, model.config.block_size, config.seed)
    return sum(train(model, source, config, engine=engine).loss[-50:]) / 50


def summary(rows: list[Row]) -> str:
    """One line per change: pooled accuracy with its 95 % interval, CPU seconds per pretraining."""
    lines = [f"{'change':<44}{'held-out accuracy':<26}CPU s"]
    for name in dict.fromkeys(row.change for row in rows):
        mine = [row for row in rows if row.change == name]
        n, right = sum(r.people for r in mine), sum(round(r.accuracy * r.people) for r in mine)
        low, high = wilson_interval(right, n)
        seconds = sum(r.seconds for r in mine) / len(mine)
        lines.append(f"{name:<44}{right / n:6.1%}  ({low:.1%} to {high:.1%})  {seconds:7.0f}")
    return "\n".join(lines)


def main() -> int:
    """Measure the rows asked for; 0 when done."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--worlds", type=int, default=1, help="worlds per change")
    parser.add_argument("--only", nargs="+", default=list(CHANGES), metavar="CHANGE", help=", ".join(CHANGES))
    parser.add_argument("--out", type=Path, default=Path("build/recipe.json"))
    args = parser.parse_args()
    try:
        if unknown := sorted(set(args.only) - set(CHANGES)):
            raise CourseError(f"There is no change {unknown[0]!r}; choose among: {', '.join(CHANGES)}.")
        set_threads(1)
        args.out.parent.mkdir(parents=True, exist_ok=True)
        rows: list[Row] = []
        for world in (f"recipe/{i}" for i in range(args.worlds)):
            for name in args.only:
                rows.append(measure(name, world))
                write_atomically(args.out, json.dumps([asdict(row) for row in rows], indent=1))
                print(summary(rows), flush=True)
    except CourseError as error:
        print(error, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
