"""What a student of notebook 05 hands in: made by the reference on a corpus of its own. One to two minutes on one core."""

from __future__ import annotations

import json
from pathlib import Path

import safetensors.torch
import torch

from course_utils.corpora import reviews
from course_utils.engine.files import write_atomically
from course_utils.lessons.transfer import load_reviews
from solutions.reference import transfer
from solutions.reference.transfer_runs import compare, encoded, pretrain

FILES = ("pretrained.safetensors", "finetuned.safetensors", "history.json", "test_predictions.txt")
PRETRAIN_EPOCHS, EPOCHS, SEEDS = 16, 6, 1  # no check reads the curves: one seed gives the weights of each condition


def prepare(folder: Path) -> None:
    """Write ``files/`` (a right hand-in and the weights of a classifier from scratch) and ``private/``."""
    torch.set_num_threads(1)
    (folder / "files").mkdir(parents=True)
    corpus = reviews.generate("artefacts of notebook 05")
    corpus.write(folder / "public", hidden=folder / "private")
    data = load_reviews(folder / "public")
    ids = encoded(data)
    language = pretrain(data, ids, PRETRAIN_EPOCHS)
    keep(folder, "pretrained", language)

    def finished(arm: str, seed: int, model: transfer.TextModel) -> None:
        keep(folder, {"pretrained": "finetuned"}.get(arm, arm.replace(" ", "_")), model)
        if arm == "pretrained":
            answers = "".join(f"{a}\n" for a in transfer.classify(model.eval(), ids["test"]))
            write_atomically(folder / "files" / "test_predictions.txt", answers)

    curves = compare(language, data, ids, SEEDS, EPOCHS, finished)
    write_atomically(folder / "files" / "history.json", json.dumps({"curves": curves}))


def keep(folder: Path, name: str, model: torch.nn.Module) -> None:
    """Weights as a student's notebook writes them."""
    tensors = {key: value.detach().clone() for key, value in model.state_dict().items()}
    write_atomically(folder / "files" / f"{name}.safetensors", safetensors.torch.save(tensors))
