"""What a finetuned model of notebook 07 answers about names that are in no document: which towns, and what letters do.

    python -m benchmarks.experiments.unseen_names      # half a minute for each world whose pretraining is kept

It starts from the weights that ``benchmarks.experiments.why_controls`` keeps in ``build/why/`` (own wiki, span corruption)
and finetunes them as notebook 07 does. Every share stands beside its control: the same answers given to other names.
"""

from __future__ import annotations

import argparse
import json
import random
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch

from benchmarks.experiments.why_controls import SEEDS, VOCAB, Reading
from benchmarks.paths import RESULTS, ROOT
from benchmarks.speed.measure import machine
from course_utils.checkpoint import load_model
from course_utils.config import PROFILES
from course_utils.corpora.world import ALPHABET, FIRST_NAMES, World, generate
from course_utils.data import Question
from course_utils.device import seed_everything, set_threads
from course_utils.engine.files import write_atomically
from course_utils.errors import CourseError
from course_utils.generate import answer_questions
from solutions.reference import knowledge

OUT = RESULTS / "unseen_names.json"
LETTERS = "aeiklmnorstu"
CAPITALS, SMALL = (
    "".join(c for c in ALPHABET if c.isupper() and c != "W"),  # W begins a word of the questions alone
    "".join(c for c in ALPHABET if c.islower()),
)
Answer = Callable[[Sequence[str]], list[str]]


def ask(name: str) -> Question:
    """The question for a name."""
    return Question(f"Where was {name} born?")


def finetuned(seed: int, folder: Path) -> Answer:
    """A function from names to the towns that the finetuned model of this world gives."""
    profile = PROFILES["laptop"]
    seed_everything(seed)
    model = load_model(folder / f"{Reading(seed).name}.safetensors", VOCAB)
    knowledge.finetune(model, generate(seed).train, VOCAB, replace(profile.finetune, seed=seed))
    return lambda names: list(answer_questions(model, VOCAB, [ask(name) for name in names])[0])


def changed_last(name: str, rng: random.Random) -> str:
    """The name with another last letter."""
    return name[:-1] + rng.choice([letter for letter in LETTERS if letter != name[-1]])


def changed_first(name: str, rng: random.Random) -> str:
    """The name with another first letter of the surname, a capital that surnames begin with."""
    first, last = name.split()
    return f"{first} {rng.choice([c for c in 'BDFGKLMNRSTV' if c != last[0]])}{last[1:]}"


def other_first_name(name: str, rng: random.Random) -> str:
    """The surname with another first name."""
    first, last = name.split()
    return f"{rng.choice([one for one in FIRST_NAMES if one != first])} {last}"


def strange(names: Sequence[str], n: int, rng: random.Random) -> list[str]:
    """Names of random letters that share no three letters in a row with any of ``names``."""
    known = {part[i : i + 3].lower() for name in names for part in name.split() for i in range(len(part) - 2)}
    found: list[str] = []
    while len(found) < n:
        parts = [rng.choice(CAPITALS) + "".join(rng.choices(SMALL, k=k)) for k in (3, 5)]
        if not {part[i : i + 3].lower() for part in parts for i in range(len(part) - 2)} & known:
            found.append(" ".join(parts))
    return found


CHANGES = {
    "last letter": changed_last,
    "first letter of the surname": changed_first,
    "first name": other_first_name,
}


def measured(world: World, answer: Answer, seed: int) -> dict[str, Any]:
    """Shares for one model; see :func:`likeness` and :func:`favourite`."""
    rng = random.Random(seed)
    people = {person.name: person.town for person in world.people if person.town is not None}
    known = [person.name for person in world.people if person.split in ("dev", "test")]
    never = [person.name for person in world.people if person.split == "never"]
    odd, before = strange(list(people), 100, rng), answer(known)
    train = [person.town for person in world.people if person.split == "train"]
    changed = {}
    for kind, change in CHANGES.items():
        names = [change(name, rng) for name in known]
        fresh = [k for k, name in enumerate(names) if name not in people]
        after = answer([names[k] for k in fresh])
        changed[kind] = {"same": _same([before[k] for k in fresh], after), "of": len(fresh)}
        changed[kind]["control"] = _same([before[k - 1] for k in fresh], after)
    return {
        "right": _same(before, [str(people[name]) for name in known]),
        "changed": changed,
        "never": {**likeness(never, answer(never), people), **favourite(answer(never), train)},
        "strange": favourite(answer(odd), train),
    }


def likeness(names: Sequence[str], said: Sequence[str], people: dict[str, Any]) -> dict[str, float]:
    """How often the answer is the town of a known person with a like name; ``control``: the same answers, other names.

    ``surname``: of one of those whose surname has the smallest edit distance. ``first name``: of one with the same.
    """
    near = [{people[one] for one in nearest(name, list(people))} for name in names]
    same = [{town for one, town in people.items() if one.split()[0] == name.split()[0]} for name in names]
    found = {}
    for kind, towns in (("surname", near), ("first name", same)):
        found[kind] = sum(a in t for a, t in zip(said, towns, strict=True)) / len(names)
        moved = [sum(said[k - by] in t for k, t in enumerate(towns)) / len(names) for by in range(1, len(names))]
        found[f"{kind}, control"] = sum(moved) / len(moved)
    return found


def nearest(name: str, names: Sequence[str]) -> list[str]:
    """Those whose surname differs least from that of ``name``."""
    distances = [distance(name.split()[1], one.split()[1]) for one in names]
    return [one for one, d in zip(names, distances, strict=True) if d == min(distances)]


def distance(a: str, b: str) -> int:
    """Smallest number of letters to insert, delete or exchange that makes one word of the other (Levenshtein)."""
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        last, row[0] = row[0], i
        for j, y in enumerate(b, 1):
            last, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, last + (x != y))
    return row[-1]


def favourite(said: Sequence[str], train: Sequence[Any]) -> dict[str, float]:
    """Share of the most frequent answer, number of different answers, and share that is the training people's commonest town."""
    counts, common = Counter(said), Counter(train).most_common(1)[0][0]
    return {
        "commonest answer": counts.most_common(1)[0][1] / len(said),
        "different": len(counts),
        "commonest town": counts[common] / len(said),
        "towns": sum(town in set(train) for town in said) / len(said),
    }


def _same(a: Sequence[str], b: Sequence[str]) -> float:
    return sum(x == y for x, y in zip(a, b, strict=True)) / len(a)


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure every world whose pretraining is kept, and write the file."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.experiments.unseen_names", description=(__doc__ or "").splitlines()[0]
    )
    parser.add_argument(
        "--folder", type=Path, default=ROOT / "build" / "why", help="where why_controls keeps its parts"
    )
    parser.add_argument("--out", type=Path, default=OUT)
    options = parser.parse_args(arguments)
    set_threads(1)
    seeds = [seed for seed in SEEDS if (options.folder / f"{Reading(seed).name}.safetensors").is_file()]
    if not seeds:
        raise CourseError(
            f"{options.folder} has no pretrained weights; run python -m benchmarks.experiments.why_controls."
        )
    worlds = {}
    for seed in seeds:
        worlds[str(seed)] = measured(generate(seed), finetuned(seed, options.folder), seed)
        print(seed, json.dumps(worlds[str(seed)]), flush=True)
    found = {"machine": machine(torch.device("cpu")), "worlds": worlds}
    write_atomically(options.out, json.dumps(found, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
