"""The right answers of notebook 07: questions as training items, pretraining, finetuning, and when to trust an answer.

Letters: T block size, V size of the vocabulary, n number of questions.
"""

from __future__ import annotations

import copy
import json
import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from course_utils.checkpoint import load_into
from course_utils.config import PROFILES, ModelConfig, Profile, TrainConfig
from course_utils.data import Question
from course_utils.engine.history import History
from course_utils.errors import CourseError
from course_utils.generate import answer_questions
from course_utils.metrics import exact_match, mean_interval
from course_utils.model import GPT, loss
from course_utils.train import train
from course_utils.vocab import Vocabulary
from solutions.reference.span_corruption import (
    CharCorruptionDataset,
    corrupt_batch,
    corrupted_epochs,
    corruption_table,
    encode_documents,
    longest_kept,
)

__all__ = [
    "CharCorruptionDataset",
    "NameDataset",
    "accuracy",
    "choose_threshold",
    "cloze",
    "corrupt_batch",
    "corrupted_epochs",
    "corruption_table",
    "effect",
    "encode_documents",
    "exposure_curve",
    "finetune",
    "finetune_pretrained",
    "london_baseline",
    "longest_kept",
    "mask_loss",
    "model_from_weights",
    "pretrain",
    "risk_coverage",
    "text_loss",
    "threshold",
]

Evaluate = Callable[[nn.Module], float]


class NameDataset(torch.utils.data.Dataset):
    """Item i is question i with its answer: ``question MASK answer MASK PAD…``, the loss on the answer alone.

    Args:
        questions: each with its answer.
        vocab: which id stands for which character.
        block_size: T.
    """

    def __init__(self, questions: list[Question], vocab: Vocabulary, block_size: int) -> None:
        self.questions, self.vocab, self.block_size = questions, vocab, block_size

    def __len__(self) -> int:
        return len(self.questions)

    def __getitem__(self, index: int) -> tuple[Tensor, Tensor]:
        """x and y, int64, (T,) each. y is x one place further on, with PAD wherever no character of the answer follows.

        Raises:
            CourseError: a question without answer, or a pair that does not fit into the block.
        """
        q = self.questions[index]
        if q.answer is None:
            raise CourseError(f"{q.text!r} has no answer to train on; read a file that has the answers.")
        question, answer = self.vocab.encode(q.text), self.vocab.encode(q.answer)
        s = [*question, self.vocab.mask_id, *answer, self.vocab.mask_id]
        if len(s) > self.block_size + 1:
            raise CourseError(f"{q.text!r} and its answer take {len(s)} tokens, more than a block; raise block_size.")
        s += [self.vocab.pad_id] * (self.block_size + 1 - len(s))
        y = [self.vocab.pad_id] * len(question) + s[
            len(question) + 1 :
        ]  # the first target is the answer's first letter
        return torch.tensor(s[:-1]), torch.tensor(y)


def london_baseline(train_questions: Sequence[Question], dev: Sequence[Question]) -> tuple[str, float]:
    """The most frequent answer of the training questions, and the share (0..1) of ``dev`` that it gets right."""
    town = Counter(q.answer for q in train_questions).most_common(1)[0][0]
    return str(town), sum(q.answer == town for q in dev) / len(dev)


def accuracy(model: nn.Module, vocab: Vocabulary, questions: Sequence[Question]) -> float:
    """Share (0..1) of the questions that the model answers to the letter."""
    answers, _ = answer_questions(model, vocab, list(questions))
    return exact_match(answers, [q.answer for q in questions])


def finetune(
    model: GPT,
    questions: list[Question],
    vocab: Vocabulary,
    config: TrainConfig,
    evaluate: Evaluate | None = None,
    progress: bool = False,
    **options: Any,
) -> History:
    """Train the model in place on question-answer pairs; other options go on to ``train``."""
    dataset = NameDataset(questions, vocab, model.config.block_size)
    return train(model, dataset, config, evaluate=evaluate, progress=progress, **options)


def pretrain(
    model: GPT,
    documents: list[str],
    vocab: Vocabulary,
    config: TrainConfig,
    evaluate: Evaluate | None = None,
    progress: bool = False,
    **options: Any,
) -> History:
    """Train the model in place on corrupted documents, every epoch corrupted anew; other options go on to ``train``."""
    source = corrupted_epochs(documents, vocab, model.config.block_size, config.seed)
    return train(model, source, config, evaluate=evaluate, progress=progress, **options)


def finetune_pretrained(
    pretrained: GPT,
    questions: list[Question],
    vocab: Vocabulary,
    profile: Profile,
    evaluate: Evaluate | None = None,
    **options: Any,
) -> tuple[GPT, History]:
    """A finetuned copy of the pretrained model, which itself stays as it was; other options go on to ``train``."""
    model = copy.deepcopy(pretrained)
    return model, finetune(model, questions, vocab, profile.finetune, evaluate, **options)


# ------------------------------------------------------------------------------------------------- why and trust


def effect(treated: Sequence[float], control: Sequence[float]) -> tuple[float, float, float, str]:
    """What a treatment changes, from runs that are paired by seed: mean difference, its 95 % interval, and a verdict.

    Returns:
        ``(mean, low, high, verdict)`` in the unit of the values; the verdict is ``"helps"`` where the whole interval is
        above 0, ``"hurts"`` where it is below, else ``"not shown"``.
    """
    mean, low, high = mean_interval([t - c for t, c in zip(treated, control, strict=True)])
    return mean, low, high, "helps" if low > 0 else "hurts" if high < 0 else "not shown"


def exposure_curve(runs: Sequence[Mapping[str, float]], key: str) -> list[tuple[float, float, float, float]]:
    """Accuracy against how a fact was seen: ``(value, mean, low, high)`` for every value of ``key``, smallest first.

    Args:
        runs: each with ``key`` (such as ``"documents"``) and ``"accuracy"``; runs that share a value differ in seed.
    """
    values = sorted({run[key] for run in runs})
    return [(v, *mean_interval([run["accuracy"] for run in runs if run[key] == v])) for v in values]


def risk_coverage(confidences: Sequence[float], correct: Sequence[bool]) -> list[tuple[float, float, float]]:
    """``(threshold, coverage, risk)`` for every distinct confidence as threshold, from the highest to the lowest.

    Coverage is the share of questions whose confidence is at least the threshold, risk the share of wrong ones among
    them (El-Yaniv and Wiener 2010, section 2).
    """
    curve = []
    for t in sorted(set(confidences), reverse=True):
        answered = [ok for value, ok in zip(confidences, correct, strict=True) if value >= t]
        curve.append((t, len(answered) / len(confidences), answered.count(False) / len(answered)))
    return curve


def choose_threshold(confidences: Sequence[float], correct: Sequence[bool], most_risk: float) -> float:
    """The lowest threshold whose risk is at most ``most_risk``; infinity if there is none, so that nothing is answered."""
    return min((t for t, _, risk in risk_coverage(confidences, correct) if risk <= most_risk), default=math.inf)


# ------------------------------------------------------------------------------------------- what the judge looks at


def model_from_weights(weights: Mapping[str, Tensor], vocab_size: int) -> GPT:
    """The judge's own GPT with handed-in weights, sizes read off the tensors, in evaluation mode.

    Heads leave no trace in the shapes: they are those of the profile of this depth and width.

    Raises:
        CourseError: tensors that are no vanilla GPT of a profile's size, or of another vocabulary.
    """
    token, position = weights.get("token.weight"), weights.get("position.weight")
    layers = len({name.split(".")[1] for name in weights if name.startswith("blocks.")})
    if token is None or token.ndim != 2 or position is None or position.ndim != 2 or not layers:
        raise CourseError("The weights are no GPT with learned positions: save the notebook's model with save_weights.")
    heads = [p.model.n_head for p in PROFILES.values() if (p.model.n_layer, p.model.n_embd) == (layers, token.shape[1])]
    if not heads:
        raise CourseError("The weights have the size of no profile: build the model with the profile's sizes.")
    if token.shape[0] != vocab_size:
        raise CourseError(
            f"The weights know {token.shape[0]} characters, this course's wiki has {vocab_size}: train on its wiki."
        )
    config = ModelConfig(token.shape[0], position.shape[0], layers, heads[0], token.shape[1])
    return load_into(GPT(config), {name: t.float() for name, t in weights.items()}, "the handed-in file").eval()


def mask_loss(model: GPT, documents: Sequence[str], vocab: Vocabulary, seed: int = 0) -> float:
    """Loss in nats where the next token is a MASK, on freshly corrupted documents.

    It is large for a model that has never seen a MASK in running text, however well it knows the text.
    """
    return _corrupted_loss(model, documents, vocab, seed, only=vocab.mask_id)


def text_loss(model: GPT, documents: Sequence[str], vocab: Vocabulary, seed: int = 0) -> float:
    """Loss in nats per token, on freshly corrupted documents."""
    return _corrupted_loss(model, documents, vocab, seed)


@torch.no_grad()
def _corrupted_loss(
    model: GPT, documents: Sequence[str], vocab: Vocabulary, seed: int, only: int | None = None
) -> float:
    T = model.config.block_size
    generator = torch.Generator().manual_seed(seed)
    X, Y = corrupt_batch(*corruption_table(documents, vocab, T), T, generator)
    if only is not None:
        Y = torch.where(Y.eq(only), Y, vocab.pad_id)
    return float(loss(model(X), Y))


@torch.no_grad()
def cloze(model: GPT, questions: Sequence[Question], vocab: Vocabulary, sentence: str = "{} was born in {}.") -> float:
    """Share (0..1) of people for whom the sentence with the right town is likelier than with any other answer.

    It asks a language model for what it knows without a question having been trained: chance is 1 / number of towns.
    """
    towns = sorted({str(q.answer) for q in questions})
    right = 0
    for q in questions:
        ids = [vocab.encode(sentence.format(person(q), town)) for town in towns]
        padded = torch.tensor([row + [vocab.pad_id] * (max(map(len, ids)) - len(row)) for row in ids])
        logp = model(padded[:, :-1]).log_softmax(-1)  # (towns, t, V)
        each = logp.gather(2, padded[:, 1:, None])[..., 0]  # (towns, t, 1) -> (towns, t)
        scores = (each * padded[:, 1:].ne(vocab.pad_id)).sum(1)
        right += towns[int(scores.argmax())] == q.answer
    return right / len(questions)


def person(question: Question) -> str:
    """Who is asked about."""
    return question.text.removeprefix("Where was ").removesuffix(" born?")


def threshold(name: str) -> Any:
    """A grading threshold, from ``thresholds.json``.

    That of the test people is derived from twenty runs (``benchmarks.thresholds.calibrate``). The two of handed-in
    pretrained weights are round numbers between right and wrong ones, with the distances measured by
    ``benchmarks.thresholds.margins``; that of a tiny model likewise; ``make seed-sweep`` tries right ones under fresh seeds.
    """
    values = json.loads((Path(__file__).with_name("thresholds.json")).read_text(encoding="utf-8"))
    return values[name]
