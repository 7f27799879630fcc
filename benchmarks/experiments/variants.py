"""Accuracy of every kind of attention in the same GPT on fresh worlds (generated corpora): the table of notebook 08.

    python -m benchmarks.experiments.variants --seeds 5 --workers 1     # about 2 CPU minutes per attention and seed, it resumes
    python -m benchmarks.experiments.variants --only uniform --out benchmarks/results/variants_uniform.json     # the control

Each run pretrains with span corruption on one world, finetunes on its train people and is evaluated on its test people;
all attentions have the same worlds. Finished runs are saved in build/variants/, the table is written to
data/measured/variants.json: {"variants": {name: {"test": {seed: accuracy}, "parameters": n, "seconds": mean}}, …}. Beside
them, under "plain_text", stand the runs of benchmarks/results/variants_plain.json, which ``--plain`` writes.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import replace
from itertools import repeat
from pathlib import Path
from typing import Any

import torch
from torch import nn
from tqdm.auto import tqdm

from benchmarks.paths import ROOT
from course_utils.attention import attention_class, register_attention
from course_utils.config import PROFILES, ModelConfig
from course_utils.corpora.world import generate
from course_utils.device import seed_everything, set_threads
from course_utils.engine.files import write_atomically
from course_utils.errors import CourseError
from course_utils.lessons.knowledge import plain_text
from course_utils.metrics import mean_interval
from course_utils.model import GPT
from course_utils.train import train
from course_utils.vocab import Vocabulary
from solutions.reference import knowledge
from solutions.reference.synthesizer import SynthesizerAttention
from solutions.reference.variants import VARIANTS

FIRST_SEED = 8000
PLAIN = ROOT / "benchmarks" / "results" / "variants_plain.json"
UNIFORM = "uniform"  # the control; no notebook offers it


class UniformAttention(SynthesizerAttention):
    """The synthesizer with scores that are 0 and stay so: every position takes the plain mean of the values up to it."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__(config)
        self.B, self.b2 = (nn.Parameter(torch.zeros_like(p), requires_grad=False) for p in (self.B, self.b2))
        self.A.requires_grad_(False)  # nothing depends on it


register_attention(UNIFORM, UniformAttention)


def measure(name: str, seed: int, folder: Path, steps: int | None = None, plain: bool = False) -> dict[str, Any]:
    """One run: {"attention", "seed", "test", "dev", "parameters", "seconds", "loss"}, saved in the folder or read from it.

    ``steps`` shortens the pretraining, to test the script; with ``plain`` the model reads plain text without span corruption,
    as notebook 08 does if notebook 07 was not solved. Such runs have files of their own.
    """
    kept = Path(folder) / f"{name}-{seed}{f'-{steps}' if steps else ''}{'-plain' if plain else ''}.json"
    if kept.is_file():
        return json.loads(kept.read_text(encoding="utf-8"))
    set_threads(1)
    world, settings = generate(seed), PROFILES["laptop"]
    vocab = Vocabulary.from_text("\n".join(world.wiki) + "\n")
    seed_everything(seed)
    position = getattr(attention_class(name), "position", "learned")
    model = GPT(settings.model_for(len(vocab), name, position))
    began = time.process_time()
    config = replace(settings.pretrain, seed=seed, steps=steps or settings.pretrain.steps)
    if plain:
        source = repeat(plain_text(world.wiki, vocab, model.config.block_size, 1)[0])
        history = train(model, source, config, progress=False)
    else:
        history = knowledge.pretrain(model, world.wiki, vocab, config)
    knowledge.finetune(model, world.train, vocab, replace(settings.finetune, seed=seed))
    row = {
        "attention": name,
        "seed": seed,
        "test": knowledge.accuracy(model, vocab, world.test),
        "dev": knowledge.accuracy(model, vocab, world.dev),
        "parameters": model.n_params(),
        "seconds": time.process_time() - began,
        "loss": sum(history.loss[-50:]) / len(history.loss[-50:]),
    }
    Path(folder).mkdir(parents=True, exist_ok=True)
    write_atomically(kept, json.dumps(row))
    return row


def table(rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """The content of data/measured/variants.json: per attention the accuracies by seed, parameters, mean CPU seconds."""
    found: dict[str, Any] = {}
    for name in dict.fromkeys(row["attention"] for row in rows):
        mine = sorted((row for row in rows if row["attention"] == name), key=lambda row: row["seed"])
        found[name] = {
            "test": {str(row["seed"]): row["test"] for row in mine},
            "dev": {str(row["seed"]): row["dev"] for row in mine},
            "parameters": mine[0]["parameters"],
            "seconds": sum(row["seconds"] for row in mine) / len(mine),
        }
    return {"what": "accuracy (0..1) by world seed; CPU seconds of both trainings, one thread", "variants": found}


def summary(result: dict[str, Any]) -> str:
    """One line per attention: mean accuracy on test people with its 95 % interval."""
    lines = []
    for name, row in result["variants"].items():
        values = list(row["test"].values())
        mean, low, high = mean_interval(values) if len(values) > 1 else (values[0], float("nan"), float("nan"))
        lines.append(f"{name:<12}{mean:7.1%}  ({low:.1%} to {high:.1%}, {len(values)} seeds){row['seconds']:7.0f} s")
    return "\n".join(lines)


def run(
    names: Sequence[str], seeds: Sequence[int], folder: Path, workers: int, steps: int | None, plain: bool = False
) -> dict[str, Any]:
    """All runs, ``workers`` at a time with one thread each."""
    rows, jobs = [], [(name, seed) for seed in seeds for name in names]
    context = multiprocessing.get_context("spawn")  # torch's threads do not survive a fork
    with ProcessPoolExecutor(workers, mp_context=context) as pool, tqdm(total=len(jobs), unit="run") as bar:
        futures = [pool.submit(measure, name, seed, folder, steps, plain) for name, seed in jobs]
        for future in as_completed(futures):
            rows.append(future.result())
            bar.set_postfix_str(f"{rows[-1]['attention']} {rows[-1]['test']:.0%}")
            bar.update()
    return table(sorted(rows, key=lambda row: (*VARIANTS, UNIFORM).index(row["attention"])))


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print and write the table; 0 when done, 2 for bad input."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--seeds", type=int, default=5, help="worlds per attention")
    parser.add_argument(
        "--only", nargs="+", default=list(VARIANTS), metavar="NAME", help=", ".join((*VARIANTS, UNIFORM))
    )
    parser.add_argument("--workers", type=int, default=1, help="runs at a time, one thread each")
    parser.add_argument("--steps", type=int, help="shorter pretraining, to try the script out")
    parser.add_argument("--folder", type=Path, default=ROOT / "build" / "variants", help="where finished runs are kept")
    parser.add_argument("--plain", action="store_true", help="pretrain on plain text, nothing cut out")
    parser.add_argument(
        "--out", type=Path, help="default: data/measured/variants.json, with --plain in benchmarks/results"
    )
    args = parser.parse_args(arguments)
    try:
        if unknown := sorted(set(args.only) - {*VARIANTS, UNIFORM}):
            known = ", ".join((*VARIANTS, UNIFORM))
            raise CourseError(f"There is no attention {unknown[0]!r}; choose among {known}.")
        seeds = range(FIRST_SEED, FIRST_SEED + args.seeds)
        result = run(args.only, seeds, args.folder, args.workers, args.steps, args.plain)
        print(summary(result))
        usual = PLAIN if args.plain else ROOT / "data" / "measured" / "variants.json"
        if not args.plain and PLAIN.is_file():
            result |= {"plain_text": json.loads(PLAIN.read_text(encoding="utf-8"))["variants"]}
        write_atomically(args.out or usual, json.dumps(result, indent=1) + "\n")
    except CourseError as error:
        print(error, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
