"""Hand-ins for the answers of notebook 08: synthesizers of a tiny world, good and spoilt; less than a minute to make."""

from __future__ import annotations

import copy
from dataclasses import replace
from pathlib import Path

from course_utils.checkpoint import save_weights
from course_utils.config import PROFILES, TrainConfig
from course_utils.model import GPT
from course_utils.device import seed_everything
from course_utils.vocab import Vocabulary
from course_utils.corpora.world import ALPHABET, generate
from solutions.reference import knowledge, variants  # noqa: F401 (enters the attentions)

FILES = ("synthesizer.safetensors",)
GENTLE = TrainConfig(batch_size=8, epochs=60, lr=1e-4, schedule="cosine")
HOT = TrainConfig(batch_size=8, epochs=60, lr=6e-3, schedule="cosine")


def prepare(folder: Path) -> None:
    """Write ``files/`` and ``private/`` to the folder."""
    world = generate("mutants", n_people=48, n_never=0)
    vocab, profile = Vocabulary.from_text(ALPHABET), PROFILES["laptop"]
    files = folder / "files"
    files.mkdir(parents=True, exist_ok=True)
    world.write(folder / "public", hidden=folder / "private")
    seed_everything(1)
    size = profile.model_for(len(vocab), "synthesizer")
    blank = GPT(size)
    model, scratch = copy.deepcopy(blank), copy.deepcopy(blank)
    knowledge.pretrain(model, world.wiki, vocab, replace(profile.pretrain, steps=400))
    knowledge.finetune(model, world.train, vocab, GENTLE)
    knowledge.finetune(scratch, world.train, vocab, HOT)
    kept = {
        "synthesizer": model,
        "scratch": scratch,
        "blank": blank,
        "vanilla": GPT(profile.model_for(len(vocab))),
        "larger": GPT(replace(size, n_layer=3)),
    }
    for name, each in kept.items():
        save_weights(files / f"{name}.safetensors", each, vocab)
