"""The experiment of notebook 05 by the reference: pretrain on unlabelled reviews, finetune in three conditions, many seeds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F

from course_utils.lessons.transfer import LONGEST, SIZES, ReviewData, batches, labelled_batches, scheduled
from solutions.reference import transfer

CONDITIONS = ("from scratch", "pretrained", "frozen base")
Ids = dict[str, list[list[int]]]
Curves = dict[str, list[list[float]]]


class Classifier(torch.nn.Module):
    """The verdict at the last token."""

    def __init__(self, model: torch.nn.Module) -> None:
        super().__init__()
        self.model = model

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """(B, T) -> (B, 2)."""
        return transfer.last_token(self.model(x), x)


def encoded(data: ReviewData) -> Ids:
    """Token ids of all texts, cut as the notebook cuts them."""
    return {
        name: [transfer.encode(text, data.pieces)[:LONGEST] for text in getattr(data, name)]
        for name in ("train", "dev", "test", "unlabelled")
    }


def pretrain(data: ReviewData, ids: Ids, epochs: int) -> transfer.TextModel:
    """The notebook's language model after its pretraining, with seed 0."""
    torch.manual_seed(0)
    model = transfer.TextModel(len(data.pieces) + 4, len(data.pieces) + 4, *SIZES)
    texts = ids["unlabelled"]
    optimizer = scheduled(torch.optim.AdamW(model.parameters(), lr=3e-3), epochs * -(-len(texts) // 32))
    for epoch in range(epochs):
        transfer.train_epoch(model, optimizer, batches(texts, transfer.lm_batch, 32, epoch), transfer.lm_loss)
    return model


def compare(
    language: transfer.TextModel,
    data: ReviewData,
    ids: Ids,
    seeds: int,
    epochs: int,
    finished: Callable[[str, int, transfer.TextModel], None] = lambda condition, seed, model: None,
) -> Curves:
    """Accuracy on dev after every epoch, one list per condition and seed; `finished` is called with every finetuned model."""
    curves: Curves = {condition: [] for condition in CONDITIONS}
    for seed in range(seeds):
        for condition, runs in curves.items():
            torch.manual_seed(seed)
            fresh = transfer.TextModel(len(data.pieces) + 4, 2, *SIZES)
            model: Any = fresh if condition == "from scratch" else transfer.transfer(language, 2)
            model.base.requires_grad_(condition != "frozen base")
            runs.append(finetune(model, ids, data, seed, epochs))
            finished(condition, seed, model)
    return curves


def finetune(model: transfer.TextModel, ids: Ids, data: ReviewData, seed: int, epochs: int) -> list[float]:
    """The notebook's finetuning; accuracy on dev after each epoch."""
    rates = [{"params": model.base.parameters(), "lr": 1e-3}, {"params": model.head.parameters(), "lr": 3e-3}]
    optimizer, curve = torch.optim.Adam(rates), []
    for epoch in range(epochs):
        train = labelled_batches(ids["train"], data.train_labels, transfer.lm_batch, 2, 1000 * seed + epoch)
        transfer.train_epoch(Classifier(model), optimizer, train, F.cross_entropy)
        curve.append(transfer.test_accuracy(model.eval(), ids["dev"], data.dev_labels))
    return curve
