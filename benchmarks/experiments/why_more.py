"""More seeds, and one more control, for the question of notebook 07: why does pretraining work?

    python -m benchmarks.experiments.why_more    # seeds 7000 to 7007, one training at a time; it resumes, an hour in all

The control that was missing changes the people alone: a wiki about the people of another world, in which every town is
replaced by one of this world's towns. Results are added to ``data/measured/why_controls.json`` seed by seed, so that an
interrupted run leaves what it has finished.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch

from benchmarks.experiments.why_controls import MASKED, OTHER, PLAIN, SCRATCH, VOCAB, Reading, both, finetune, pretrain
from benchmarks.paths import ROOT
from course_utils.checkpoint import save_weights
from course_utils.config import PROFILES
from course_utils.corpora.world import World, generate
from course_utils.device import seed_everything, set_threads
from course_utils.engine.files import write_atomically
from course_utils.model import GPT
from solutions.reference import knowledge

SEEDS = tuple(range(7000, 7008))
PEOPLE = "same towns, other people"
DISTANCE = 100  # the other people are those of world seed + 100


class OtherPeople(Reading):
    """The wiki of another world with this world's towns in it."""

    @property
    def name(self) -> str:
        """The name of its files."""
        return f"{self.seed}-other-people"

    def world(self) -> World:
        """The other world; its towns have this world's names, the more frequent one that of the more frequent one."""
        return generate(self.seed + DISTANCE)


def towns(world: World) -> list[str]:
    """The towns of a world, the most frequent first."""
    said = [q.answer for group in (world.train, world.dev, world.test) for q in group]
    return sorted(set(said), key=lambda town: (-said.count(town), town))


def other_people(seed: int) -> list[str]:
    """The documents about the people of another world, with the towns of this one."""
    other = generate(seed + DISTANCE)
    pairs = dict(zip(towns(other), towns(generate(seed)), strict=True))
    documents = []
    for line in other.wiki:
        found = [town for town in pairs if town in line]
        if len(found) != 1:
            raise AssertionError(f"{line!r} names {found}")
        documents.append(line.replace(found[0], pairs[found[0]]))
    return documents


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


def add(found: dict[str, Any], seed: int, folder: Path) -> None:
    """Train what one seed lacks and enter it."""
    arms, key = found["controls"], str(seed)
    if key not in arms.setdefault(PEOPLE, {}):
        arms[PEOPLE][key] = read_about_others(seed, folder)
    if key not in arms[MASKED]:
        arms[MASKED][key] = both(Reading(seed), folder)[1]["test"]
    if key not in arms[PLAIN]:
        arms[PLAIN][key] = both(Reading(seed, masked=False), folder)[1]["test"]
    if key not in arms[SCRATCH]:
        arms[SCRATCH][key] = finetune(seed, None, folder)["test"]
    if key not in arms[OTHER]:
        pretrain(Reading(seed - 1), folder)
        arms[OTHER][key] = finetune(seed, Reading(seed - 1), folder)["test"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Train what is missing and add it to the file."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.experiments.why_more", description=(__doc__ or "").splitlines()[0]
    )
    parser.add_argument("--folder", type=Path, default=ROOT / "build" / "why", help="where finished parts are kept")
    parser.add_argument("--out", type=Path, default=ROOT / "data" / "measured" / "why_controls.json")
    options = parser.parse_args(arguments)
    set_threads(1)
    options.folder.mkdir(parents=True, exist_ok=True)
    for seed in SEEDS:
        found = json.loads(options.out.read_text(encoding="utf-8"))
        add(found, seed, options.folder)
        done = sorted(set.intersection(*(set(runs) for runs in found["controls"].values())))
        found["about"] = (
            "python -m benchmarks.experiments.why_controls and why_more, profile laptop, "
            f"controls of seeds {', '.join(done)}, torch {torch.__version__}"
        )
        write_atomically(options.out, json.dumps(found, indent=1) + "\n")
        print(seed, {name: runs.get(str(seed)) for name, runs in found["controls"].items()}, flush=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
