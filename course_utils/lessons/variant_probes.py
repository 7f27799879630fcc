"""Values that the checks of notebook 08 fetch from a small GPT with a registered attention."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor, nn

from course_utils.attention import attention_class
from course_utils.checks.fetch import fetches
from course_utils.checks.weights import filled
from course_utils.config import ModelConfig
from course_utils.model import GPT, loss


@fetches("a GPT finds the student's attention by its name where that is entered")
def logits_of(cls: type, config: ModelConfig, weights: Mapping[str, Tensor], ids: Tensor) -> list[Any]:
    """Whether the GPT of this configuration attends with ``cls``, and its logits on ids (B, T) under these weights."""
    model: Any = filled(GPT(config), weights, training=False)
    return [type(model.blocks[0].attention) is cls, model(ids)]


@fetches("outputs and slopes of a GPT with the student's attention, under weights that the judge drew")
def entered(name: str, n_tokens: int, weights: Mapping[str, Tensor], x: Tensor, y: Tensor) -> dict[str, Any]:
    """Logits on ids x (B, T), gradients of the loss with targets y, and weights by name, of a GPT with this attention."""
    position = getattr(attention_class(name), "position", "learned")
    model: nn.Module = GPT(ModelConfig(n_tokens, 64, 1, 2, 32, attention=name, position=position))
    parameters = dict(model.named_parameters())
    with torch.no_grad():
        for key, value in weights.items():
            parameters[key].copy_(value)
    logits = model(x)
    loss(logits, y).backward()
    slopes = {key: torch.zeros_like(p) if p.grad is None else p.grad for key, p in parameters.items()}
    return {"logits": logits, "slopes": slopes, "weights": {key: p.detach() for key, p in parameters.items()}}
