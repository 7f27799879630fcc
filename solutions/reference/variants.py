"""The right answers of notebook 08: every kind of attention under its name, and the model that a student hands in.

Importing this module enters ``synthesizer``, ``rope`` and ``perceiver`` beside ``vanilla`` in the register of attentions.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import repeat
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from course_utils.attention import attention_class
from course_utils.checkpoint import load_into
from course_utils.config import PROFILES, ModelConfig, Profile
from course_utils.corpora.world import ALPHABET
from course_utils.data import Question
from course_utils.engine.history import History
from course_utils.errors import CourseError
from course_utils.model import GPT
from course_utils.train import train
from course_utils.vocab import Vocabulary
from solutions.reference.knowledge import CharCorruptionDataset, NameDataset, accuracy
from solutions.reference.perceiver import PerceiverAttention
from solutions.reference.rope import RotaryCausalSelfAttention, apply_rotary
from solutions.reference.synthesizer import SynthesizerAttention, parameter_keys, synthesizer_flops, vanilla_flops

__all__ = [
    "CharCorruptionDataset",
    "NameDataset",
    "PerceiverAttention",
    "RotaryCausalSelfAttention",
    "SynthesizerAttention",
    "model_from_weights",
    "parameter_keys",
    "pretrain_and_finetune",
    "question_rows",
    "ropes",
    "synthesizer_faults",
    "synthesizer_flops",
    "threshold",
    "vanilla_flops",
]

LEAST = 0.08  # of test people; models that were never pretrained on this wiki are right for about 5 %
VARIANTS = ("vanilla", "synthesizer", "rope", "perceiver")


def question_rows(questions: list[Question], vocab: Vocabulary, T: int) -> tuple[Tensor, Tensor]:
    """All questions as X and Y, int64, (N, T) each; row i is question i."""
    dataset = NameDataset(questions, vocab, T)
    X, Y = zip(*(dataset[i] for i in range(len(dataset))), strict=True)  # N of (T,) each
    return torch.stack(X), torch.stack(Y)


def pretrain_and_finetune(
    model: GPT, source: Any, questions: list[Question], vocab: Vocabulary, profile: Profile, **options: Any
) -> tuple[History, History]:
    """Train the model in place, first on the source, then on the questions; the history of either training."""
    before = train(model, source, profile.pretrain, **options)
    rows = question_rows(questions, vocab, model.config.block_size)
    return before, train(model, repeat(rows), profile.finetune, **options)


def synthesizer_faults(weights: Mapping[str, Tensor], people: Sequence[str]) -> str:
    """What is wrong with a handed-in synthesizer, in one sentence, "" for nothing.

    Args:
        people: questions and answers about the test people, with a tab between.

    Raises:
        CourseError: weights that fit no profile's model.
    """
    vocab = Vocabulary.from_text(ALPHABET)
    if not any(name.endswith(".B") for name in weights):
        return 'synthesizer.safetensors holds no synthesizer: build the model with attention="synthesizer" and train that one'
    questions = [Question(*line.split("\t")) for line in people]
    right = accuracy(model_from_weights(weights, len(vocab), "synthesizer"), vocab, questions)
    if right <= LEAST:
        return (
            "the handed-in model knows next to nothing about people it was not trained on: "
            "was it pretrained on this course's wiki, and then finetuned?"
        )
    if right < threshold("synthesizer_test_accuracy"):
        return "the handed-in model knows too few people: give it the whole pretraining, and finetune with profile.finetune"
    return ""


def model_from_weights(weights: Mapping[str, Tensor], vocab_size: int, attention: str) -> GPT:
    """The judge's own GPT of this attention with handed-in weights, in evaluation mode; sizes are a profile's.

    Raises:
        CourseError: tensors of another attention, of no profile's size, or of another vocabulary.
    """
    token = weights.get("token.weight")
    layers = len({name.split(".")[1] for name in weights if name.startswith("blocks.")})
    if token is None or token.ndim != 2 or not layers:
        raise CourseError("The weights are no GPT of this course: save the notebook's model with save_weights.")
    fitting = [p.model for p in PROFILES.values() if (p.model.n_layer, p.model.n_embd) == (layers, token.shape[1])]
    if not fitting:
        raise CourseError("The weights have the size of no profile: build the model with the profile's sizes.")
    if token.shape[0] != vocab_size:
        raise CourseError(f"The weights know {token.shape[0]} characters, this course's wiki has {vocab_size}.")
    size = fitting[0]
    position = getattr(attention_class(attention), "position", "learned")
    config = ModelConfig(
        vocab_size, size.block_size, size.n_layer, size.n_head, size.n_embd, attention=attention, position=position
    )
    return load_into(GPT(config), {name: t.float() for name, t in weights.items()}, "the handed-in file").eval()


def ropes(length: int, d: int, power: float = 1.0, first: int = 0) -> list[Callable[[Tensor], Tensor]]:
    """The rotations of queries and keys (…, length, d) that count as right: pairs of neighbours or of halves, either way.

    Turning everything the other way gives scores that depend on the distance alone just as well. Other arguments make
    slips: the frequencies are 10000^(-2 * power * (m + first) / d) for pairs m = 0, 1, …, so that -1 inverts them, 0.5
    forgets the 2, and ``first=1`` counts the pairs from 1.
    """
    pairs = torch.arange(first, first + d // 2, dtype=torch.float64)
    speeds = 1e4 ** (-2 * power * pairs / d)  # (d/2,)
    angles = torch.outer(torch.arange(length, dtype=torch.float64), speeds)  # (length, d/2)
    order = torch.arange(d).view(2, d // 2).T.flatten()  # neighbours from halves: 0, d/2, 1, d/2+1, …

    def turned(x: Tensor, sign: float, halves: bool) -> Tensor:
        y = apply_rotary(x[..., order] if halves else x, sign * angles)
        return y[..., order.argsort()] if halves else y

    return [partial(turned, sign=sign, halves=halves) for sign in (1.0, -1.0) for halves in (False, True)]


def threshold(name: str) -> float:
    """A grading threshold of notebook 08; ``variants.json`` beside this file says where it comes from."""
    return float(json.loads(Path(__file__).with_name("variants.json").read_text(encoding="utf-8"))[name]["value"])
