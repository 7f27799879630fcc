"""The margins between right pretrainings and the thresholds of notebook 07.

Run `make demo` first, then `python -m benchmarks.thresholds.margins`.

The check `pretrain` has two thresholds for the submitted weights: the loss where the next token is a MASK, and the share of
birth places that the model knows. Here both are measured for every world (generated corpus) that the demo has trained, with
many draws each, and the share also for the next world's weights, which were trained on other people.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from tqdm import tqdm

from autograder.demo.run import world_seeds
from benchmarks.paths import RESULTS, ROOT
from benchmarks.speed.measure import machine
from course_utils.checkpoint import load_model
from course_utils.corpora.world import generate
from course_utils.data import Question
from course_utils.device import set_threads
from course_utils.engine.files import write_atomically
from course_utils.errors import CourseError
from course_utils.model import GPT
from solutions.reference import knowledge
from solutions.reference.experiment import Seed, place, vocabulary

OUT = RESULTS / "margins.json"
PEOPLE = 40  # the number that the check draws


def as_documents(people: Sequence[Question]) -> list[str]:
    """The sentences that the check corrupts."""
    return [f"{knowledge.person(q)} was born in {q.answer}." for q in people]


def margin(seed: Seed, own: GPT, other: GPT, draws: int) -> dict[str, Any]:
    """For one world and each draw: MASK loss in nats, share of known birth places, and that share for `other`."""
    world, rng = generate(seed), random.Random(0)
    vocab, people = vocabulary(world), [rng.sample(list(world.test), PEOPLE) for _ in range(draws)]
    return {
        "seed": seed,
        "mask_loss": [round(knowledge.mask_loss(own, as_documents(p), vocab, k), 3) for k, p in enumerate(people)],
        "cloze": [knowledge.cloze(own, p, vocab) for p in people],
        "cloze_other_world": [knowledge.cloze(other, p, vocab) for p in people],
    }


def margins(folder: Path, seeds: Sequence[Seed], draws: int = 10) -> dict[str, Any]:
    """The margins of all worlds and a summary. Raises CourseError if a world was not trained, or for a single world."""
    if len(seeds) < 2:
        raise CourseError("Two worlds are needed, since each is compared with another's weights.")
    models = []
    for seed in seeds:
        path = place(folder, seed) / "pretrained.safetensors"
        if not path.is_file():
            raise CourseError(f"{path} is not there; run `make demo` first, or name its folder of worlds.")
        models.append(load_model(path, vocabulary(generate(seed))).eval())
    pairs = list(zip(seeds, models, models[1:] + models[:1], strict=True))
    worlds = [margin(*pair, draws) for pair in tqdm(pairs, unit="world")]
    every = {name: [x for world in worlds for x in world[name]] for name in worlds[0] if name != "seed"}
    return {
        "worlds": worlds,
        "summary": {n: {"mean": statistics.fmean(v), "min": min(v), "max": max(v)} for n, v in every.items()},
        "thresholds": {name: knowledge.threshold(f"pretrained_{name}") for name in ("mask_loss", "cloze")},
        "machine": machine(torch.device("cpu")),
    }


def main(argv: Sequence[str] | None = None) -> int:
    """Measure, write and print; 1 if a right model would fail or another world's pass."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.thresholds.margins", description=(__doc__ or "").splitlines()[0]
    )
    parser.add_argument("--worlds", type=Path, default=ROOT / "build" / "demo" / "worlds", help="what the demo trained")
    parser.add_argument("--draws", type=int, default=10, help="of people, for each world (10)")
    parser.add_argument("--out", type=Path, default=OUT)
    options = parser.parse_args(argv)
    set_threads(1)  # the passes are too small for several threads
    try:
        found = margins(options.worlds, world_seeds(), options.draws)
    except CourseError as error:
        print(error, file=sys.stderr)
        return 2
    write_atomically(options.out, json.dumps(found, indent=1) + "\n")
    summary, asked = found["summary"], found["thresholds"]
    for name, values in summary.items():
        print(f"{name:<18} mean {values['mean']:.3f}, {values['min']:.3f} to {values['max']:.3f}")
    right = summary["mask_loss"]["max"] < asked["mask_loss"] and summary["cloze"]["min"] >= asked["cloze"]
    return 0 if right and summary["cloze_other_world"]["max"] < asked["cloze"] else 1


if __name__ == "__main__":
    raise SystemExit(main())
