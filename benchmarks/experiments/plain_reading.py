"""Does masking help a model to answer, if plain reading and finetuning are done well? The control of notebooks 07 and 08.

    python -m benchmarks.experiments.plain_reading      # one to three minutes for each reading; it resumes

The arm "nothing masked" of ``why_controls`` reads documents without line ends, and is finetuned for ten epochs at 1e-4, after
which it has not learned its own training pairs. Here a model reads a world's wiki in three ways (with span corruption; as
plain text with line ends, ``course_utils.lessons.knowledge.plain_text``; as plain text without), and each is finetuned twice
from the same weights: with ``profile.finetune``, and longer at a higher rate. Shares of right answers are kept for people of
train, dev and test. Settings are those of ``why_controls``; the synthesizer's are those of ``variants``.
"""

from __future__ import annotations

import argparse
import copy
import json
import random
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import repeat
from pathlib import Path
from typing import Any

import torch

import solutions.reference.variants  # noqa: F401 (enters the synthesizer)
from benchmarks.experiments.why_controls import VOCAB, plain_epochs
from benchmarks.paths import RESULTS, ROOT
from benchmarks.speed.measure import machine
from course_utils.checkpoint import load_model, save_weights
from course_utils.config import PROFILES
from course_utils.corpora.world import World, generate
from course_utils.data import Question
from course_utils.device import seed_everything, set_threads
from course_utils.engine.files import write_atomically
from course_utils.generate import answer_questions
from course_utils.lessons.knowledge import plain_text
from course_utils.model import GPT
from course_utils.train import train
from solutions.reference import knowledge

OUT = RESULTS / "plain_reading.json"
SPANS, LINES, BARE = "spans", "lines", "no line ends"
VANILLA, SYNTHESIZER = "vanilla", "synthesizer"
TUNINGS = {"10 epochs at 1e-4": (10, 1e-4), "20 epochs at 3e-4": (20, 3e-4)}
LONGER = {"60 epochs at 1e-4": (60, 1e-4), "60 epochs at 1e-3": (60, 1e-3)}  # of the readings with spans alone
LETTERS = "aeiklmnorstu"


@dataclass(frozen=True)
class Run:
    """One pretraining: on the wiki of world ``seed``, read in one form, by a GPT with this attention."""

    attention: str
    form: str
    seed: int

    @property
    def name(self) -> str:
        """The name of its files."""
        return f"{self.attention}-{self.form.replace(' ', '-')}-{self.seed}"


def runs() -> list[Run]:
    """All of them, the most important first."""
    first = [Run(VANILLA, LINES, 7000), Run(VANILLA, SPANS, 7000), Run(VANILLA, LINES, 7001), Run(VANILLA, LINES, 7002)]
    second = [Run(SYNTHESIZER, LINES, 8000), Run(VANILLA, SPANS, 7002), Run(VANILLA, LINES, 7003)]
    third = [
        Run(SYNTHESIZER, LINES, 8001),
        *(Run(VANILLA, SPANS, seed) for seed in (7001, 7003)),
        Run(VANILLA, BARE, 7001),
    ]
    rest = [Run(VANILLA, form, seed) for seed in range(7004, 7008) for form in (LINES, SPANS)]
    more = [Run(SYNTHESIZER, LINES, seed) for seed in range(8002, 8005)]
    bare = [Run(VANILLA, BARE, seed) for seed in (7000, 7002, 7003)]
    return [*first, *second, *third, *rest, *more, *bare]


def pretrained(run: Run, folder: Path) -> GPT:
    """The model after this reading, from its file if it is kept."""
    path = folder / f"{run.name}.safetensors"
    if path.is_file():
        return load_model(path, VOCAB)
    profile, documents = PROFILES["laptop"], list(generate(run.seed).wiki)
    seed_everything(run.seed)
    model = GPT(profile.model_for(len(VOCAB), run.attention))
    settings, size = replace(profile.pretrain, seed=run.seed), model.config.block_size
    if run.form == SPANS:
        knowledge.pretrain(model, documents, VOCAB, settings)
    elif run.form == LINES:
        train(model, repeat(plain_text(documents, VOCAB, size, 1)[0]), settings, progress=False)
    else:
        train(model, plain_epochs(documents, size), settings, progress=False)
    save_weights(path, model, VOCAB)
    return model


def measure(run: Run, folder: Path) -> dict[str, Any]:
    """Shares of right answers after each finetuning, kept as JSON."""
    path = folder / f"{run.name}.json"
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    settings = TUNINGS | (LONGER if run.form == SPANS and run.attention == VANILLA else {})
    if set(settings) <= set(found):
        return found
    model, world, tuning = pretrained(run, folder), generate(run.seed), PROFILES["laptop"].finetune
    for name, (epochs, lr) in settings.items():
        tuned = copy.deepcopy(model)
        seed_everything(run.seed)
        knowledge.finetune(tuned, world.train, VOCAB, replace(tuning, epochs=epochs, lr=lr, seed=run.seed))
        groups = {"train": world.train, "dev": world.dev, "test": world.test}
        found[name] = {group: knowledge.accuracy(tuned, VOCAB, people) for group, people in groups.items()}
        if run.form == SPANS and name == next(iter(TUNINGS)):
            found[name]["changed"] = changed(tuned, world, run.seed)
    write_atomically(path, json.dumps(found))
    return found


def changed(model: GPT, world: World, seed: int) -> dict[str, Any]:
    """Share of known people whose answer stays when one letter of the surname is another: first to third, and last.

    ``control``: share that another person's answer is the same.
    """
    known = [q.text for q in (*world.dev, *world.test)]
    before, draw = answer_questions(model, VOCAB, [Question(text) for text in known])[0], random.Random(seed)
    found: dict[str, Any] = {"of": len(known), "control": same(before, [*before[1:], before[0]])}
    for place, name in ((1, "second"), (2, "third"), (-2, "last but one"), (-1, "last")):
        asked = [Question(other_letter(text, place, draw)) for text in known]
        found[name] = same(before, answer_questions(model, VOCAB, asked)[0])
    return found


def other_letter(question: str, place: int, draw: random.Random) -> str:
    """The question with another small letter at this place of the surname."""
    *words, surname, born = question.split(" ")
    letters = list(surname)
    letters[place] = draw.choice([letter for letter in LETTERS if letter != letters[place]])
    return " ".join([*words, "".join(letters), born])


def same(a: Sequence[str], b: Sequence[str]) -> float:
    """Share of equal entries."""
    return sum(x == y for x, y in zip(a, b, strict=True)) / len(a)


def report(folder: Path) -> dict[str, Any]:
    """What is finished: attention -> form -> finetuning -> group of people -> world -> share."""
    found: dict[str, Any] = {}
    for run, one in _kept(folder):
        for tuning, groups in one.items():
            for group, share in groups.items():
                arm = found.setdefault(run.attention, {}).setdefault(run.form, {}).setdefault(tuning, {})
                arm.setdefault(group, {})[str(run.seed)] = share
    return {"machine": machine(torch.device("cpu")), "tunings": TUNINGS | LONGER, **found}


def _kept(folder: Path) -> Iterator[tuple[Run, dict[str, Any]]]:
    for run in sorted(runs(), key=lambda run: (run.attention, run.form, run.seed)):
        path = folder / f"{run.name}.json"
        if path.is_file():
            yield run, json.loads(path.read_text(encoding="utf-8"))


def main(arguments: Sequence[str] | None = None) -> int:
    """Train the missing models and write the file after each."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.experiments.plain_reading", description=(__doc__ or "").splitlines()[0]
    )
    parser.add_argument("--folder", type=Path, default=ROOT / "build" / "plain", help="where finished parts are kept")
    parser.add_argument("--out", type=Path, default=OUT)
    parser.add_argument("--finished", action="store_true", help="train nothing; write what is finished")
    options = parser.parse_args(arguments)
    set_threads(1)
    options.folder.mkdir(parents=True, exist_ok=True)
    for run in [] if options.finished else runs():
        began = time.process_time()
        print(run.name, json.dumps(measure(run, options.folder)), f"{time.process_time() - began:.0f} s", flush=True)
    write_atomically(options.out, json.dumps(report(options.folder), indent=1) + "\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
