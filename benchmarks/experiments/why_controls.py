"""Control experiments on why pretraining works, one change at a time: the results that notebook 07 shows.

    python -m benchmarks.experiments.why_controls              # 8 seeds, 64 pretrainings: about an hour on two cores; it resumes

For every seed one world (a generated corpus): pretraining on its wiki with span corruption, on its wiki with nothing
masked, on a wiki with the same towns and other people, on another world's wiki, and no pretraining; and worlds in which
each fact is in 1, 2, 4 or 8 documents, or in 4 documents with 1, 2 or 4 different sentences. Finished parts are saved in
``build/why/``; ``data/measured/why_controls.json`` is written at the end, with two arms of ``plain_reading`` beside these.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch
from torch import Tensor
from tqdm.auto import tqdm

from benchmarks.paths import RESULTS, ROOT
from course_utils.checkpoint import load_model, save_weights
from course_utils.config import PROFILES
from course_utils.corpora.world import ALPHABET, World, generate
from course_utils.device import seed_everything, set_threads
from course_utils.engine.files import write_atomically
from course_utils.generate import answer_questions
from course_utils.model import GPT
from course_utils.train import train
from course_utils.vocab import Vocabulary
from solutions.reference import knowledge

SEEDS = tuple(range(7000, 7008))
VOCAB = Vocabulary.from_text(ALPHABET)
SCRATCH, OTHER, PEOPLE, PLAIN, MASKED = (
    *("no pretraining", "another world's wiki", "same towns, other people"),
    *("own wiki, nothing masked", "own wiki, span corruption"),
)
LONGER = {"own wiki, plain text, finetuned longer": "lines", "own wiki, span corruption, finetuned longer": "spans"}
LONG = "20 epochs at 3e-4"
DISTANCE = 100  # the other people are those of world seed + 100


@dataclass(frozen=True)
class Reading:
    """The text of a pretraining: the wiki of world ``seed`` in one form.

    Attributes:
        documents: number of documents about each person.
        phrasings: largest number of different sentences per person.
        masked: with span corruption, else plain next-character prediction.
        strangers: about the people of another world, in the towns of this one.
    """

    seed: int
    documents: int = 4
    phrasings: int = 4
    masked: bool = True
    strangers: bool = False

    @property
    def name(self) -> str:
        """The name of its files."""
        form = f"{self.seed}-{self.documents}-{self.phrasings}-{'spans' if self.masked else 'plain'}"
        return f"{form}-strangers" if self.strangers else form

    def world(self) -> World:
        """The world; people and towns are the same in all forms."""
        return generate(self.seed, documents_per_person=self.documents, phrasings=self.phrasings)

    def wiki(self) -> list[str]:
        """The documents that are read."""
        return other_people(self.seed) if self.strangers else list(self.world().wiki)


def towns(world: World) -> list[str]:
    """The towns of a world, the most frequent first."""
    said = [q.answer for group in (world.train, world.dev, world.test) for q in group]
    return sorted(set(said), key=lambda town: (-said.count(town), town))


def other_people(seed: int) -> list[str]:
    """The documents about the people of another world, with the towns of this one."""
    other = generate(seed + DISTANCE)
    pairs = dict(zip(towns(other), towns(generate(seed)), strict=True))
    return [line.replace(town, pairs[town]) for line in other.wiki for town in pairs if town in line]


def controls(seed: int) -> list[Reading]:
    """The readings of one world that differ in what is read and how: the default first."""
    return [Reading(seed), Reading(seed, masked=False), Reading(seed, strangers=True)]


def exposures(seed: int) -> list[Reading]:
    """The readings of one world that differ in the number of documents or sentences, besides the default."""
    return [Reading(seed, documents=n, phrasings=n) for n in (1, 2, 8)] + [Reading(seed, phrasings=n) for n in (1, 2)]


def plain_epochs(documents: Sequence[str], block_size: int) -> Iterator[tuple[Tensor, Tensor]]:
    """Epochs (X, Y), each (N, T), of the unchanged documents: y is x shifted by one character."""
    ids, _ = knowledge.encode_documents(documents, VOCAB, block_size + 1)  # (N, T+1)
    while True:
        yield ids[:, :-1].contiguous(), ids[:, 1:].contiguous()


def pretrain(reading: Reading, folder: Path) -> None:
    """Write the weights after this reading, if they are not there."""
    path = folder / f"{reading.name}.safetensors"
    if path.is_file():
        return
    profile, documents = PROFILES["laptop"], reading.wiki()
    seed_everything(reading.seed)
    model, settings = GPT(profile.model_for(len(VOCAB))), replace(profile.pretrain, seed=reading.seed)
    if reading.masked:
        knowledge.pretrain(model, documents, VOCAB, settings)
    else:
        train(model, plain_epochs(documents, model.config.block_size), settings, progress=False)
    save_weights(path, model, VOCAB)


def finetune(seed: int, start: Reading | None, folder: Path) -> dict[str, Any]:
    """Finetune on world ``seed`` after a reading, or from scratch; accuracies and confidences, kept as JSON."""
    path = result(seed, start, folder)
    if path.is_file():
        return json.loads(path.read_text(encoding="utf-8"))
    profile, world = PROFILES["laptop"], generate(seed)
    seed_everything(seed)
    if start is None:
        model, settings = GPT(profile.model_for(len(VOCAB))), profile.scratch
    else:
        model, settings = load_model(folder / f"{start.name}.safetensors", VOCAB), profile.finetune
    history = knowledge.finetune(
        model,
        world.train,
        VOCAB,
        replace(settings, seed=seed),
        evaluate=lambda m: knowledge.accuracy(m, VOCAB, world.dev),
    )
    found = {
        "test": knowledge.accuracy(model, VOCAB, world.test),
        "curve": history.accuracy,
        "trust": confidence(model, world),
    }
    write_atomically(path, json.dumps(found))
    return found


def confidence(model: GPT, world: World) -> dict[str, list[Any]]:
    """Confidences about dev people and whether each is right; confidences and answers about people in no document."""
    answers, sure = answer_questions(model, VOCAB, world.dev)
    invented, unknown = answer_questions(model, VOCAB, world.never)
    correct = [a == q.answer for a, q in zip(answers, world.dev, strict=True)]
    never = {"never": [round(k, 4) for k in unknown], "invented": list(invented)}
    return {"confidences": [round(k, 4) for k in sure], "correct": correct, **never}


def both(reading: Reading, folder: Path, seed: int | None = None) -> tuple[Reading, dict[str, Any]]:
    """Pretrain on this reading, then finetune on the same world, or on world ``seed``; neither if the result is kept."""
    seed = reading.seed if seed is None else seed
    if not result(seed, reading, folder).is_file():
        pretrain(reading, folder)
    return reading, finetune(seed, reading, folder)


def result(seed: int, start: Reading | None, folder: Path) -> Path:
    """The file that keeps what finetuning on world ``seed`` after a reading gave."""
    return folder / f"{seed}-after-{start.name if start else 'nothing'}.json"


def gather(seeds: Sequence[int], folder: Path, workers: int) -> tuple[dict[str, dict[str, Any]], dict[str, Any]]:
    """All results: of all readings by name, and of the two controls without the own wiki by seed and kind."""
    folder.mkdir(parents=True, exist_ok=True)
    context = multiprocessing.get_context("spawn")  # torch's threads do not survive a fork
    with ProcessPoolExecutor(workers, mp_context=context, initializer=set_threads, initargs=(1,)) as pool:
        every = [reading for kind in (controls, exposures) for seed in seeds for reading in kind(seed)]
        jobs = [pool.submit(both, reading, folder) for reading in every]
        read = {reading.name: found for reading, found in finished(jobs)}
        pairs: dict[str, Future] = {}
        for i, seed in enumerate(seeds):
            pairs[f"{seed} {SCRATCH}"] = pool.submit(finetune, seed, None, folder)
            pairs[f"{seed} {OTHER}"] = pool.submit(both, Reading(seeds[i - 1]), folder, seed)
        found = {name: future.result() for name, future in pairs.items()}
        return read, {name: one[1] if isinstance(one, tuple) else one for name, one in found.items()}


def finished(jobs: Sequence[Future]) -> Iterator[Any]:
    """Yield results as they are finished, with a progress bar."""
    waiting = set(jobs)
    with tqdm(total=len(jobs), unit="reading") as bar:
        while waiting:
            done, waiting = wait(waiting, return_when=FIRST_COMPLETED)
            for job in done:
                yield job.result()
                bar.update()


def kept(seeds: Sequence[int], folder: Path) -> tuple[dict[str, dict[str, Any]], dict[str, Any]]:
    """What :func:`gather` would return, without the parts that are not finished."""
    every = [reading for seed in seeds for reading in (*controls(seed), *exposures(seed))]
    read = {reading.name: result(reading.seed, reading, folder) for reading in every}
    others = {f"{seed} {SCRATCH}": result(seed, None, folder) for seed in seeds}
    others |= {f"{s} {OTHER}": result(s, Reading(seeds[i - 1]), folder) for i, s in enumerate(seeds)}
    return _loaded(read), _loaded(others)


def _loaded(paths: dict[str, Path]) -> dict[str, Any]:
    return {name: json.loads(path.read_text(encoding="utf-8")) for name, path in paths.items() if path.is_file()}


def report(seeds: Sequence[int], read: dict[str, dict[str, Any]], others: dict[str, Any]) -> dict[str, Any]:
    """The content of the JSON file: controls and exposure by seed, curves by epoch, and confidences by seed.

    Parts that are missing in ``read`` or ``others`` are left out.
    """

    def runs(key: str, values: Sequence[int], form: Any) -> list[dict[str, float]]:
        found = [(s, v, read.get(form(s, v).name)) for s in seeds for v in values]
        return [{key: v, "seed": s, "accuracy": one["test"]} for s, v, one in found if one]

    def arm(form: Any) -> dict[str, Any]:
        return {str(s): read[form(s).name] for s in seeds if form(s).name in read}

    def other(kind: str) -> dict[str, Any]:
        return {str(s): others[f"{s} {kind}"] for s in seeds if f"{s} {kind}" in others}

    arms = {
        SCRATCH: other(SCRATCH),
        OTHER: other(OTHER),
        PEOPLE: arm(lambda s: Reading(s, strangers=True)),
        PLAIN: arm(lambda s: Reading(s, masked=False)),
        MASKED: arm(Reading),
    }
    curves = {name: [one["curve"] for one in arms[name].values() if one["curve"]] for name in (SCRATCH, MASKED)}
    epochs = min(len(curve) for runs_of in curves.values() for curve in runs_of)
    return {
        "about": f"python -m benchmarks.experiments.why_controls, profile laptop, seeds {list(seeds)}, torch {torch.__version__}",
        "controls": {name: {s: one["test"] for s, one in found.items()} for name, found in arms.items()},
        "exposure": {
            "documents": runs("documents", (1, 2, 4, 8), lambda s, n: Reading(s, n, n)),
            "phrasings": runs("phrasings", (1, 2, 4), lambda s, n: Reading(s, phrasings=n)),
        },
        "curves": {
            "from scratch, other worlds": [curve[:epochs] for curve in curves[SCRATCH]],
            "pretrained, other worlds": [curve[:epochs] for curve in curves[MASKED]],
        },
        "trust": {s: one["trust"] for s, one in arms[MASKED].items() if one["trust"]},
    }


def finetuned_longer(path: Path = RESULTS / "plain_reading.json") -> dict[str, dict[str, float]]:
    """The arms of :mod:`benchmarks.experiments.plain_reading` that are finetuned until the pairs are learned, if measured."""
    if not path.is_file():
        return {}
    read = json.loads(path.read_text(encoding="utf-8"))["vanilla"]
    return {name: read[form][LONG]["test"] for name, form in LONGER.items() if LONG in read.get(form, {})}


def main(arguments: Sequence[str] | None = None) -> int:
    """Train the missing models and write the file."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.experiments.why_controls", description=(__doc__ or "").splitlines()[0]
    )
    parser.add_argument("--seeds", type=int, default=len(SEEDS), help="how many of the eight seeds (at least 2)")
    parser.add_argument("--workers", type=int, default=2, help="trainings at a time, one thread each")
    parser.add_argument("--folder", type=Path, default=ROOT / "build" / "why", help="where finished parts are kept")
    parser.add_argument("--out", type=Path, default=ROOT / "data" / "measured" / "why_controls.json")
    parser.add_argument("--finished", action="store_true", help="train nothing; write what is finished")
    options = parser.parse_args(arguments)
    seeds = SEEDS[: max(2, options.seeds)]
    parts = kept(seeds, options.folder) if options.finished else gather(seeds, options.folder, options.workers)
    found = report(seeds, *parts)
    found["controls"] |= finetuned_longer()
    write_atomically(options.out, json.dumps(found, indent=1) + "\n")
    print(json.dumps(found["controls"], indent=1))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
