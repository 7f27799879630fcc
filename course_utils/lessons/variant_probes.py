"""Values that the checks of notebook 08 fetch: two trainings in a row, and a small GPT with a registered attention."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor, nn

from course_utils.attention import attention_class
from course_utils.checks.fetch import fetches
from course_utils.checks.weights import filled
from course_utils.config import ModelConfig, Profile
from course_utils.data import Question
from course_utils.lessons.knowledge import plain_text
from course_utils.lessons.knowledge_probes import Recorder
from course_utils.model import GPT, loss
from course_utils.vocab import Vocabulary


@fetches(
    "two trainings must run where the student's function is; they bring back weights and batches, which the judge repeats"
)
def trained_twice(
    fit: Callable[..., Any], shape: ModelConfig, start: Mapping[str, Tensor], documents: Sequence[str],
    questions: Sequence[Question], vocab: Vocabulary, profile: Profile, more: Mapping[str, Any],
) -> dict[str, Any]:  # fmt: skip
    """Let ``fit(model, source, questions, vocab, profile, **options)`` train a GPT from these weights.

    Returns:
        ``model``: its weights afterwards; ``loss``: those of the histories that came back, None where there is none;
        ``length``: how many came back, None if it is no tuple or list; ``batches``: (x, y) of both trainings, in order.
    """
    model, engine = GPT(shape), Recorder()
    model.load_state_dict(dict(start))
    source = iter(plain_text(documents, vocab, shape.block_size, 3))
    got = fit(model, source, list(questions), vocab, profile, engine=engine, progress=False, **more)
    pair = list(got) if isinstance(got, tuple | list) else []
    losses = [getattr(history, "loss", None) for history in pair]
    return {
        "model": dict(model.state_dict()),
        "loss": [list(map(float, found)) if isinstance(found, list) else None for found in losses],
        "length": len(pair) if isinstance(got, tuple | list) else None,
        "batches": engine.batches,
    }


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
