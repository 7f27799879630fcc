"""One more control for the question of notebook 07, why pretraining works: it changes the people and nothing else.

    python -m benchmarks.experiments.why_more    # three seeds, one pretraining each, one at a time; it resumes

The model reads a wiki about the people of another world, in which every town is replaced by one of this world's towns.
Results are written to ``benchmarks/results/why_more.json`` seed by seed.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from benchmarks.experiments.why_controls import VOCAB, Reading, finetune
from benchmarks.paths import RESULTS, ROOT
from course_utils.checkpoint import save_weights
from course_utils.config import PROFILES
from course_utils.corpora.world import World, generate
from course_utils.device import seed_everything, set_threads
from course_utils.engine.files import write_atomically
from course_utils.model import GPT
from solutions.reference import knowledge

SEEDS = (7000, 7001, 7002)
PEOPLE = "same towns, other people"
DISTANCE = 100  # the other people are those of world seed + 100


class OtherPeople(Reading):
    """The wiki of another world with this world's towns in it."""

    @property
    def name(self) -> str:
        """The name of its files."""
        return f"{self.seed}-other-people"


def towns(world: World) -> list[str]:
    """The towns of a world, the most frequent first."""
    said = [q.answer for group in (world.train, world.dev, world.test) for q in group]
    return sorted(set(said), key=lambda town: (-said.count(town), town))


def other_people(seed: int) -> list[str]:
    """The documents about the people of another world, with the towns of this one."""
    other = generate(seed + DISTANCE)
    pairs = dict(zip(towns(other), towns(generate(seed)), strict=True))
    return [line.replace(town, pairs[town]) for line in other.wiki for town in pairs if town in line]


def read_about_others(seed: int, folder: Path) -> float:
    """Accuracy on the test people of a world after a pretraining on its towns and other people."""
    reading, profile = OtherPeople(seed), PROFILES["laptop"]
    path = folder / f"{reading.name}.safetensors"
    if not path.is_file():
        seed_everything(seed)
        model = GPT(profile.model_for(len(VOCAB)))
        knowledge.pretrain(model, other_people(seed), VOCAB, replace(profile.pretrain, seed=seed))
        save_weights(path, model, VOCAB)
    return float(finetune(seed, reading, folder)["test"])


def main(arguments: Sequence[str] | None = None) -> int:
    """Train what is missing and add it to the file."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.experiments.why_more", description="One more control.")
    parser.add_argument("--folder", type=Path, default=ROOT / "build" / "why", help="where finished parts are kept")
    parser.add_argument("--out", type=Path, default=RESULTS / "why_more.json")
    options = parser.parse_args(arguments)
    set_threads(1)
    options.folder.mkdir(parents=True, exist_ok=True)
    found = json.loads(options.out.read_text(encoding="utf-8")) if options.out.is_file() else {PEOPLE: {}}
    for seed in SEEDS:
        if str(seed) not in found[PEOPLE]:
            found[PEOPLE][str(seed)] = read_about_others(seed, options.folder)
            write_atomically(options.out, json.dumps(found, indent=1) + "\n")
    print(json.dumps(found, indent=1))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
