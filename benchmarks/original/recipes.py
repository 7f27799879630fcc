"""Settings of the trainings on the original's texts, by name; `benchmarks/LOG.md` says what each change was worth."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from course_utils.config import ModelConfig, TrainConfig


@dataclass(frozen=True)
class Recipe:
    """Settings of one run, without the number of steps, which follows from `readings`.

    `copies` corruptions of every document make one epoch. The first `short` of all readings (0..1) take a block of
    `short_block` tokens, the rest the model's own: what is learned early does not need the long texts. A reading in the
    model's own block keeps of a document a number of characters drawn from `kept` (fewest, most), both included; None: 4 to
    7/8 of the block. With `weights_of` the pretraining is that of another recipe: its kept weights are taken, so that ways
    of finetuning are compared on the same model.
    """

    model: ModelConfig
    pretrain: TrainConfig
    finetune: TrainConfig
    readings: int = 240  # of every document
    copies: int = 1
    short: float = 0.0
    short_block: int = 128
    kept: tuple[int, int] | None = None
    weights_of: str = ""


BASE = Recipe(
    model=ModelConfig(block_size=320, n_layer=3, n_head=6, n_embd=192),
    pretrain=TrainConfig(batch_size=64, steps=1, lr=5e-3, muon_lr=0.02),
    finetune=TrainConfig(batch_size=32, epochs=20, lr=3e-4, schedule="cosine"),
)


def changed(recipe: Recipe = BASE, model: Any = None, pretrain: Any = None, finetune: Any = None, **own: Any) -> Recipe:
    """The recipe with fields of its parts and of its own changed."""
    return replace(
        recipe,
        model=replace(recipe.model, **(model or {})),
        pretrain=replace(recipe.pretrain, **(pretrain or {})),
        finetune=replace(recipe.finetune, **(finetune or {})),
        **own,
    )


# Rows of any length in a batch, in four pieces with little padding: the gradient of a batch of one length is another one.
SEVENTH = changed(
    model={"n_layer": 2, "n_head": 4, "n_embd": 256},
    pretrain={"batch_size": 32, "micro_batches": 4, "muon_lr": 0.04},
    readings=480,
)

# Nine of ten answers stand in the first 112 characters of their document. A reading that keeps 64 to 112 nearly always
# shows the answer, and the tokens of the rest need not be paid for.
BEGINNINGS = changed(SEVENTH, kept=(64, 112), readings=760)

# All people of the original on a CPU. The lower rate of finetuning was the better one on a GPU (benchmarks/LOG.md).
WHOLE = changed(BEGINNINGS, model={"block_size": 128}, finetune={"lr": 5e-5}, readings=240)

# The original's own size, for a GPU: 4 layers of 256, 8 heads, blocks of 128. An epoch is twelve batches.
ORIGINAL = Recipe(
    model=ModelConfig(block_size=128, n_layer=4, n_head=8, n_embd=256),
    pretrain=TrainConfig(batch_size=256, steps=1, lr=5e-3, muon_lr=0.02, micro_batches=8),
    finetune=TrainConfig(batch_size=32, epochs=20, lr=5e-5, schedule="cosine"),
    readings=650,
    kept=(64, 112),
)

RECIPES: dict[str, Recipe] = {
    "first try": BASE,
    "seventh": SEVENTH,
    "beginnings": BEGINNINGS,
    "slow finetuning": changed(BEGINNINGS, finetune={"lr": 1e-4}, weights_of="beginnings"),
    "no pieces": changed(SEVENTH, pretrain={"micro_batches": 1}),
    "batch 16": changed(SEVENTH, pretrain={"batch_size": 16, "micro_batches": 2}),
    "batch 64": changed(SEVENTH, pretrain={"batch_size": 64, "micro_batches": 8}),
    "four corruptions": changed(SEVENTH, copies=4),
    "short texts first": changed(SEVENTH, short=0.5),
    "three layers of 192": changed(SEVENTH, model={"n_layer": 3, "n_head": 3, "n_embd": 192}),
    "block 1024": changed(SEVENTH, model={"block_size": 1024}),
    "whole": WHOLE,
    "whole, 1e-4": changed(WHOLE, finetune={"lr": 1e-4}, weights_of="whole"),
    "original": ORIGINAL,
    "original, 1e-4": changed(ORIGINAL, finetune={"lr": 1e-4}, weights_of="original"),
    "original, 3e-4": changed(ORIGINAL, finetune={"lr": 3e-4}, weights_of="original"),
    "original, rope": changed(ORIGINAL, model={"attention": "rope"}),
    "original, synthesizer": changed(ORIGINAL, model={"attention": "synthesizer"}),
    "original, dropout": changed(ORIGINAL, model={"dropout": 0.1}),
    "original, 4 to 112 kept": changed(ORIGINAL, kept=None),
    "original, batch 128": changed(ORIGINAL, pretrain={"batch_size": 128}),
    "original, batch 512": changed(ORIGINAL, pretrain={"batch_size": 512, "muon_lr": 0.04}),
    "original, 512 wide": changed(ORIGINAL, model={"n_embd": 512}),
}
