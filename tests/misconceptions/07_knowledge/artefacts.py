"""Hand-ins for the answers of notebook 07: models of a tiny world that know its facts, or have lost them.

A sixteenth of the notebook's work, so that judging wrong answers needs no long training. All files are named; a wrong
answer says in a line ``# files: NAME=KEPT`` which kept file is handed in under a name of the notebook's.
"""

from __future__ import annotations

import copy
from dataclasses import replace
from pathlib import Path

from course_utils.checkpoint import save_weights
from course_utils.config import PROFILES, TrainConfig
from course_utils.data import write_predictions
from course_utils.generate import answer_questions
from course_utils.errors import CourseError
from course_utils.model import GPT
from course_utils.device import seed_everything
from course_utils.vocab import Vocabulary
from course_utils.corpora.world import ALPHABET, generate
from solutions.reference import knowledge

FILES = ("pretrained.safetensors", "finetuned.safetensors", "test_predictions.txt")
GENTLE = (2e-4, 1e-4, 5e-5)  # learning rates: one that keeps what was stored
STEPS = 500  # of pretraining; 300 were enough on one processor and not on another
HOT = (1e-3, 1.5e-3, 2e-3, 2.5e-3, 3e-3, 4e-3, 6e-3)  # and one that loses much, but not all of it


def prepare(folder: Path) -> None:
    """Write ``files/`` and ``private/`` to the folder; about two minutes."""
    world, other = (generate(seed, n_people=48, n_never=6) for seed in ("mutants", "elsewhere"))
    vocab, profile = Vocabulary.from_text(ALPHABET), PROFILES["laptop"]
    files = folder / "files"
    files.mkdir(parents=True, exist_ok=True)
    world.write(folder / "public", hidden=folder / "private")
    seed_everything(1)
    blank = GPT(profile.model_for(len(vocab)))

    def pretrained(documents):
        model = copy.deepcopy(blank)
        knowledge.pretrain(model, documents, vocab, replace(profile.pretrain, steps=STEPS))
        return model

    def finetuned(model, lr):
        model = copy.deepcopy(model)
        config = TrainConfig(batch_size=8, epochs=60, lr=lr, schedule="cosine")
        knowledge.finetune(model, world.train, vocab, config)
        return model

    def between(start, least, most, rates):
        """Finetuned at the first rate that leaves this share of answers right."""
        for model in (finetuned(start, lr) for lr in rates):
            if least <= knowledge.accuracy(model, vocab, world.test) <= most:
                return model
        raise CourseError(f"No rate of {rates} gives {least:.0%} to {most:.0%} right answers; give other rates here.")

    own = pretrained(world.wiki)
    models = {
        "pretrained": own,
        "finetuned": between(own, 0.95, 1.0, GENTLE),
        "hot": between(own, 0.15, 0.7, HOT),
        "scratch": between(blank, 0.0, 0.1, HOT[::-1]),
        "elsewhere": between(pretrained(other.wiki), 0.0, 0.1, GENTLE + HOT),
        "blank": blank,
    }
    for name, model in models.items():
        save_weights(files / f"{name}.safetensors", model, vocab)
    larger = replace(blank.config, n_layer=3)
    save_weights(files / "larger.safetensors", GPT(larger), vocab)
    answers, _ = answer_questions(models["finetuned"], vocab, world.test)
    write_predictions(files / "test_predictions.txt", answers)
    write_predictions(files / "with_header.txt", ["prediction", *answers])
    write_predictions(files / "of_another_model.txt", answer_questions(models["hot"], vocab, world.test)[0])
    (files / "cut_off.safetensors").write_bytes((files / "finetuned.safetensors").read_bytes()[:100_000])
