"""What a student of notebook 06 hands in: the given table with wrong variants of it, and tiny finetunings on two tasks and on one.

About ten seconds on one core. The pretrained T5 is left out: 300 steps teach a fresh model of its shape these two tasks.
"""

from __future__ import annotations

import copy
import json
import random
from pathlib import Path
from typing import Any

import safetensors.torch
import torch

from course_utils.engine.files import write_atomically
from course_utils.lessons.pretraining import Reader
from course_utils.lessons.probe_models import Seq2Seq, text_loss, train_by
from course_utils.corpora.stories import LONGEST, VOCAB, senses
from solutions.reference import probes

FILES = ("probe_table.json", "text_to_text.safetensors")
GIVEN = Path(__file__).parents[3] / "data" / "measured" / "probe_table.json"
STEPS = 300


def prepare(folder: Path) -> None:
    """Write ``files/``: what is right, and what must be refused."""
    torch.set_num_threads(1)
    (folder / "files").mkdir(parents=True)
    (folder / "private").mkdir()
    tables(folder)
    torch.manual_seed(3)
    keep(folder, "fresh", Seq2Seq(VOCAB, LONGEST))
    keep(folder, "reader", Reader(VOCAB, LONGEST))
    sentences = senses("artefacts", 500)
    both = probes.mixture(sentences, random.Random(3))
    one = [probes.as_text("kind", sentence) for sentence in sentences]
    for name, pairs in {"text_to_text": both, "one_task": one}.items():
        model = Seq2Seq(VOCAB, LONGEST)
        train_by(model, lambda batch, model=model: text_loss(model, batch), pairs, STEPS, 3, name)  # type: ignore[misc]
        keep(folder, name, model)


def tables(folder: Path) -> None:
    """The given runs, and what is wrong with others."""
    runs = [
        {"seed": run["seed"], "scores": run["scores"]} for run in json.loads(GIVEN.read_text(encoding="utf-8"))["runs"]
    ]
    write(folder, "probe_table", runs)
    write(folder, "one_seed", runs[:1])
    write(folder, "copied_seed", [runs[0]] * 5)
    write(folder, "percent", changed(runs, lambda name, probe, share: 100 * share))
    write(
        folder, "untrained", changed(runs, lambda name, probe, share: 0.1 if (name, probe) == ("T5", "gap") else share)
    )
    write(
        folder, "leaking", changed(runs, lambda name, probe, share: 0.98 if (name, probe) == ("GPT", "tag") else share)
    )


def changed(runs: list[dict[str, Any]], to: Any) -> list[dict[str, Any]]:
    """The runs with every score exchanged for ``to(model, probe, score)``."""
    found = copy.deepcopy(runs)
    for run in found:
        for name, scores in run["scores"].items():
            run["scores"][name] = {probe: to(name, probe, share) for probe, share in scores.items()}
    return found


def write(folder: Path, name: str, runs: list[dict[str, Any]]) -> None:
    """A table as the notebook writes it."""
    write_atomically(folder / "files" / f"{name}.json", json.dumps({"runs": runs}))


def keep(folder: Path, name: str, model: torch.nn.Module) -> None:
    """Weights as a student's notebook writes them."""
    tensors = {key: value.detach().clone() for key, value in model.state_dict().items()}
    write_atomically(folder / "files" / f"{name}.safetensors", safetensors.torch.save(tensors))
