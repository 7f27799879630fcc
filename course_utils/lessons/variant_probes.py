"""What the checks of notebook 08 fetch from a small GPT with a registered attention."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from torch import Tensor

from course_utils.checks.fetch import fetches
from course_utils.checks.weights import filled
from course_utils.config import ModelConfig
from course_utils.model import GPT


@fetches("a GPT finds the student's attention by its name where that is entered")
def logits_of(cls: type, config: ModelConfig, weights: Mapping[str, Tensor], ids: Tensor) -> list[Any]:
    """Whether the GPT of this configuration attends with ``cls``, its logits on ids (B, T), and which positions it asks for."""
    model: Any = filled(GPT(config), weights, training=False)
    return [type(model.blocks[0].attention) is cls, model(ids), getattr(cls, "position", "learned")]
