"""Settings of the course: the size of the model, how it is trained, and a profile for each kind of machine.

A profile holds four records: the model, pretraining, finetuning after pretraining, and finetuning from scratch. All
are frozen; `dataclasses.replace` makes a copy with single fields changed.
"""

from __future__ import annotations

import math
import os
from dataclasses import dataclass, fields, replace
from typing import Any, Self

from course_utils.errors import CourseError

POSITIONS = ("learned", "none")
SCHEDULES = ("linear", "cosine", "constant")


def _require(holds: bool, sentence: str) -> None:  # noqa: FBT001 (a condition, as in assert)
    """Raise CourseError(sentence) unless `holds`."""
    if not holds:
        raise CourseError(sentence)


class _FromDict:
    """A frozen dataclass that can be read from a plain dictionary, such as a JSON file holds."""

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> Self:
        """The inverse of `dataclasses.asdict`; unknown or badly typed entries raise CourseError."""
        known = {field.name for field in fields(cls)}  # type: ignore[arg-type]
        unknown = sorted(set(values) - known)
        _require(not unknown, f"{cls.__name__} has no field {', '.join(unknown)}; it knows {', '.join(sorted(known))}.")
        try:
            return cls(**{k: tuple(v) if isinstance(v, list) else v for k, v in values.items()})
        except TypeError as error:
            raise CourseError(f"{cls.__name__} cannot be read from {values}: {error}.") from None


@dataclass(frozen=True)
class ModelConfig(_FromDict):
    """The shape of a GPT. `vocab_size` 0 means "not known before the corpus is read"; a model cannot be built from it."""

    vocab_size: int = 0
    block_size: int = 128  # T, the longest sequence in tokens
    n_layer: int = 4  # L
    n_head: int = 8  # H
    n_embd: int = 256  # D
    dropout: float = 0.0
    attention: str = "vanilla"  # a name in course_utils.attention.ATTENTION
    position: str = "learned"  # or "none": nothing is added to the embeddings

    def __post_init__(self) -> None:
        for name in ("block_size", "n_layer", "n_head", "n_embd"):
            value = getattr(self, name)
            _require(isinstance(value, int) and value >= 1, f"{name} must be a whole number from 1 up, not {value!r}.")
        _require(isinstance(self.vocab_size, int) and self.vocab_size >= 0, "vocab_size must be a whole number.")
        _require(
            self.n_embd % self.n_head == 0,
            f"n_embd {self.n_embd} cannot be split among n_head {self.n_head}; choose a multiple.",
        )
        _require(0.0 <= self.dropout < 1.0, f"dropout must lie in [0, 1), not {self.dropout}.")
        _require(self.position in POSITIONS, f"position must be one of {POSITIONS}, not {self.position!r}.")


@dataclass(frozen=True)
class TrainConfig(_FromDict):
    """How to train. Give `steps` or `epochs`, not both.

    With `muon_lr`, the hidden matrices are trained by Muon (Jordan et al. 2024) and everything else by AdamW
    (Loshchilov and Hutter 2019) at `lr`; with `muon_lr=None` AdamW trains all. `warmup` is a fraction of all steps,
    `final` a fraction of the highest learning rate. With `micro_batches=1` a batch has rows of similar length, which
    is fastest; with more, a batch has rows of every length and is computed in that many groups of similar length,
    whose gradients are summed: the loss then falls more per step. A step cuts the norm of the whole gradient to `clip`
    (1 by default).
    """

    batch_size: int
    steps: int | None = None
    epochs: int | None = None
    lr: float = 1e-3
    muon_lr: float | None = None
    betas: tuple[float, float] = (0.9, 0.95)
    weight_decay: float = 0.1
    clip: float = 1.0  # largest norm of the whole gradient
    warmup: float = 0.05
    schedule: str = "linear"
    final: float = 0.02
    seed: int = 0
    micro_batches: int = 1

    def __post_init__(self) -> None:
        _require((self.steps is None) != (self.epochs is None), "Give either steps or epochs, exactly one of the two.")
        length = self.steps if self.steps is not None else self.epochs
        _require(isinstance(length, int) and length >= 1, f"steps or epochs must be at least 1, not {length!r}.")
        _require(isinstance(self.batch_size, int) and self.batch_size >= 1, "batch_size must be at least 1.")
        whole = isinstance(self.micro_batches, int)
        _require(whole and 1 <= self.micro_batches <= self.batch_size, "micro_batches must be 1 to batch_size.")
        rates = [self.lr, self.clip] + ([] if self.muon_lr is None else [self.muon_lr])
        _require(all(r > 0 and math.isfinite(r) for r in rates), "lr, muon_lr and clip must be positive and finite.")
        _require(self.weight_decay >= 0, "weight_decay must not be negative.")
        _require(0 <= self.warmup < 1 and 0 <= self.final <= 1, "warmup must lie in [0, 1) and final in [0, 1].")
        _require(self.schedule in SCHEDULES, f"schedule must be one of {SCHEDULES}, not {self.schedule!r}.")


@dataclass(frozen=True)
class Profile:
    """The settings for one kind of machine; `model.vocab_size` is filled in by `model_for`."""

    name: str
    model: ModelConfig
    pretrain: TrainConfig
    finetune: TrainConfig  # after pretraining
    scratch: TrainConfig  # without pretraining

    def model_for(self, vocab_size: int, attention: str = "vanilla", position: str = "learned") -> ModelConfig:
        """The profile's ModelConfig with what depends on the corpus and on the variant filled in."""
        return replace(self.model, vocab_size=vocab_size, attention=attention, position=position)


# For the generated corpus in data/world, on one CPU core. benchmarks/experiments/recipe.py says what was tried and why.
LAPTOP = Profile(
    name="laptop",
    # Span corruption keeps at most 7/8 of the block: with 256, nine lines in ten stay whole. Padding is cut off.
    model=ModelConfig(block_size=256, n_layer=2, n_head=4, n_embd=128),
    pretrain=TrainConfig(batch_size=64, steps=1500, lr=5e-3, muon_lr=0.02),
    finetune=TrainConfig(batch_size=32, epochs=10, lr=1e-4, schedule="cosine"),
    scratch=TrainConfig(batch_size=16, epochs=60, lr=1e-3, schedule="cosine"),
)

# Size and optimiser of the original assignment's handout. Two of its errors are corrected: its learning rate was at its
# highest again at epoch 400, and its warm-up was shorter than one batch. Pretraining: 650 epochs of 23 batches.
HANDOUT = Profile(
    name="handout",
    model=ModelConfig(dropout=0.1),
    pretrain=TrainConfig(
        batch_size=128, epochs=650, lr=6e-3, warmup=0.02, schedule="cosine", final=0.1, micro_batches=8
    ),
    finetune=TrainConfig(batch_size=256, epochs=10, lr=6e-4, warmup=0.1, schedule="cosine", final=0.1),
    scratch=TrainConfig(batch_size=256, epochs=75, lr=6e-4, warmup=0.05, schedule="cosine", final=0.1),
)

# The same model and optimiser. On a T4 the handout's batch is large enough; an H200 needs a larger one to be used fully.
COLAB = replace(HANDOUT, name="colab")
H200 = replace(
    HANDOUT, name="h200", pretrain=replace(HANDOUT.pretrain, batch_size=512, epochs=650, lr=3e-3, muon_lr=0.02)
)

PROFILES: dict[str, Profile] = {p.name: p for p in (LAPTOP, COLAB, H200, HANDOUT)}


def profile(name: str) -> Profile:
    """The profile of that name, or a CourseError that lists the names."""
    _require(name in PROFILES, f"There is no profile {name!r}; choose one of {', '.join(PROFILES)}.")
    return PROFILES[name]


def detect_profile() -> Profile:
    """The profile of this machine: COURSE_PROFILE if set, `h200` on a GPU of capability 9 up, `colab` on another GPU."""
    if named := os.environ.get("COURSE_PROFILE"):
        return profile(named)
    import torch  # here, so that reading a configuration does not load torch

    if not torch.cuda.is_available():
        return LAPTOP
    return H200 if torch.cuda.get_device_capability() >= (9, 0) else COLAB
