"""Values that the checks of notebook 08 fetch: two trainings in a row, and a small GPT with a registered attention."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from torch import Tensor

from course_utils.checks.fetch import fetches
from course_utils.checks.weights import filled
from course_utils.config import ModelConfig, Profile
from course_utils.data import Question
from course_utils.lessons.knowledge import plain_text
from course_utils.lessons.knowledge_probes import Recorder
from course_utils.model import GPT
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
    """Whether the GPT of this configuration has ``cls`` and its positions, and its logits on ids (B, T) under these weights."""
    model: Any = filled(GPT(config), weights, training=False)
    own = type(model.blocks[0].attention) is cls and getattr(cls, "position", "learned") == config.position
    return [own, model(ids)]
