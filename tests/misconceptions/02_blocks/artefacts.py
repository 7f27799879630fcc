"""What a student of notebook 02 hands in: a translator trained by the reference. About half a minute on one core."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from course_utils.corpora.numbers import PAD, split_numbers
from course_utils.lessons.translator import Translator, save_translator, train_translator
from solutions.reference.blocks import DecoderLayer, EncoderLayer, exact_match

FILES = ("translator.safetensors",)
STEPS, SHORT = 1200, 150
"""Enough for a right hand-in; enough for a wrong one to show what it cannot do."""


def prepare(folder: Path) -> None:
    """Write ``files/`` and an empty ``private/``.

    The files are a right hand-in, one trained with targets that were not shifted, one that was not trained at all, and one
    of other layers.
    """
    torch.set_num_threads(1)
    for name in ("files", "private"):
        (folder / name).mkdir(parents=True)
    good = train(folder / "files" / "translator.safetensors", shifted_loss, STEPS)
    train(folder / "files" / "unshifted.safetensors", unshifted_loss, SHORT)
    train(folder / "files" / "untrained.safetensors", shifted_loss, 0)
    save_translator(nn.Linear(2, 2), folder / "files" / "other_layers.safetensors")
    share = exact_match(good.state_dict(), split_numbers()[1])
    assert share >= 0.99, f"the right hand-in gets only {share:.1%} of the held-out numbers: train it longer"


def train(path: Path, loss: Callable[..., Tensor], steps: int) -> nn.Module:
    """A translator of the reference's layers, trained and saved as the notebook does it."""
    torch.manual_seed(0)
    model = Translator(EncoderLayer, DecoderLayer)
    if steps:
        train_translator(model, loss, split_numbers()[0], steps=steps)
    save_translator(model, path)
    return model


def shifted_loss(model: nn.Module, source: Tensor, tag: Tensor, target: Tensor) -> Tensor:
    """Teacher forcing: the decoder reads the tag and the words before. (B, Ls), (B,), (B, T) -> scalar in nats."""
    given = torch.cat([tag[:, None], target[:, :-1]], 1)  # (B, 1) and (B, T-1) -> (B, T)
    return F.cross_entropy(
        model(source, given).flatten(0, 1), target.flatten(), ignore_index=PAD
    )  # (B, T, V) -> (B·T, V)


def unshifted_loss(model: nn.Module, source: Tensor, tag: Tensor, target: Tensor) -> Tensor:
    """The slip: the decoder reads the word that it is to predict."""
    return F.cross_entropy(
        model(source, target).flatten(0, 1), target.flatten(), ignore_index=PAD
    )  # (B, T, V) -> (B·T, V)
