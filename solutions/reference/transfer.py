"""Reference answers of notebook 05: a causal language model, and what is made of it for classification."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from course_utils.checks.compare import CheckFailed
from course_utils.checks.selfcheck import Checker
from course_utils.errors import CourseError
from course_utils.lessons.transfer import EOS, LONGEST, PAD, SIZES, SOS, UNK, position_table
from course_utils.metrics import mean_interval


def encode(text: str, pieces: Sequence[str]) -> list[int]:
    """Ids of the pieces of a text: 4, 5, … in the order of ``pieces``, UNK for others."""
    ids = {piece: number for number, piece in enumerate(pieces, 4)}
    return [ids.get(piece, UNK) for piece in text.split()]


class Pieces:
    """Ids of pieces: the special ones, then the pieces in order."""

    def __init__(self, pieces: Sequence[str]) -> None:
        self.pieces = list(pieces)

    def __len__(self) -> int:
        return len(self.pieces) + 4

    def encode(self, text: str) -> list[int]:
        """Ids of the pieces of a text."""
        return encode(text, self.pieces)

    def decode(self, ids: Sequence[int]) -> str:
        """Pieces of the ids, without PAD, SOS and EOS."""
        return " ".join("<unk>" if i == UNK else self.pieces[i - 4] for i in ids if i >= UNK)


def lm_batch(sentences: Sequence[Sequence[int]]) -> tuple[Tensor, Tensor]:
    """x = SOS + sentence, y = sentence + EOS, both (B, longest + 1), padded with PAD."""
    width = max(map(len, sentences)) + 1
    rows = [([SOS, *s], [*s, EOS], [PAD] * (width - len(s) - 1)) for s in sentences]
    x = torch.tensor([before + fill for before, _, fill in rows])
    return x, torch.tensor([after + fill for _, after, fill in rows])


def lm_loss(logits: Tensor, y: Tensor) -> Tensor:
    """Mean cross-entropy in nats over the targets that are not PAD; logits (B, T, V), y (B, T)."""
    return F.cross_entropy(logits.flatten(0, 1), y.flatten(), ignore_index=PAD)  # (B, T, V) -> (B·T, V)


class Base(nn.Module):
    """Ids (B, T) to states (B, T, D) by a causal nn.TransformerEncoder; the switches make the usual slips."""

    def __init__(
        self, n_tokens: int, d_model: int, n_heads: int, n_layers: int, d_ff: int, dropout: float,
        *, scaled: bool = True, positions: bool = True, mask: str = "causal", norm_first: bool = True,
    ) -> None:  # fmt: skip
        super().__init__()
        self.embedding = nn.Embedding(n_tokens, d_model)
        nn.init.normal_(self.embedding.weight, std=d_model**-0.5)
        layer = nn.TransformerEncoderLayer(d_model, n_heads, d_ff, dropout, batch_first=True, norm_first=norm_first)
        self.encoder = nn.TransformerEncoder(layer, n_layers, enable_nested_tensor=False)
        self.dropout = nn.Dropout(dropout)
        self.scaled, self.positions, self.mask = scaled, positions, mask

    def forward(self, x: Tensor) -> Tensor:
        """(B, T) -> (B, T, D)."""
        h = self.embedding(x)
        h = h * math.sqrt(h.shape[-1]) if self.scaled else h
        h = h + position_table(*h.shape[1:]).to(h) if self.positions else h
        T = x.shape[1]
        hidden = {"causal": torch.ones(T, T).triu(1), "none": torch.zeros(T, T), "flipped": torch.ones(T, T).tril(-1)}
        return self.encoder(self.dropout(h), mask=hidden[self.mask].bool().to(x.device))


class TextModel(nn.Module):
    """A base and a linear head: logits (B, T, n_classes)."""

    def __init__(
        self, n_tokens: int, n_classes: int, d_model: int, n_heads: int, n_layers: int, d_ff: int, dropout: float,
        **slips: Any,
    ) -> None:  # fmt: skip
        super().__init__()
        self.base = Base(n_tokens, d_model, n_heads, n_layers, d_ff, dropout, **slips)
        self.head = nn.Linear(d_model, n_classes)

    def forward(self, x: Tensor) -> Tensor:
        """(B, T) -> (B, T, n_classes)."""
        return self.head(self.base(x))


def lm_output(weights: Mapping[str, Tensor], sizes: Sequence[Any], x: Tensor, **slips: Any) -> Tensor:
    """Logits (B, T, n_classes) of a TextModel with these weights, without dropout; a slip if one is named.

    Checks of releases made by version 0.1 ask it.
    """
    model = _built(tuple(sizes), tuple(slips.items()))
    model.load_state_dict(dict(weights))
    with torch.no_grad():
        return model(x)


@lru_cache(maxsize=16)
def _built(sizes: tuple[Any, ...], slips: tuple[tuple[str, Any], ...]) -> TextModel:
    """A model to be filled with weights: a check asks for the same one many times, and building it takes longer than a pass."""
    return TextModel(*sizes, **dict(slips)).eval()


def train_epoch(
    model: Any, optimizer: Any, batches: Sequence[tuple[Tensor, Tensor]], loss_fn: Any, clip: float = 1.0, slip: str = ""
) -> float:  # fmt: skip
    """One pass over the batches; the mean of their losses. ``slip`` leaves something out or does it wrongly."""
    if slip != "no train":
        model.train()
    total = 0.0
    for x, y in batches:
        if slip != "no zero_grad":
            optimizer.zero_grad()
        loss = loss_fn(model(x), y)
        loss.backward()
        if slip == "clip values":
            nn.utils.clip_grad_value_(model.parameters(), clip)
        elif slip not in ("no clip", "clip late"):
            nn.utils.clip_grad_norm_(model.parameters(), clip)
        optimizer.step()
        total += loss.item()
    model.eval()
    return total / len(batches)


def transfer(pretrained: nn.Module, n_classes: int, frozen: bool = False) -> nn.Module:
    """A copy of the base under a fresh head; ``frozen``: the base is not trained (given by place or by name)."""
    model: Any = copy.deepcopy(pretrained)
    model.head = nn.Linear(model.head.in_features, n_classes)
    model.base.requires_grad_(not frozen)
    return model


def generate(
    model: Any, prompt: Sequence[int], max_new: int, temperature: float = 0.0, generator: Any = None
) -> list[int]:
    """New ids after SOS and the prompt: the most likely ones, or drawn at a temperature above 0."""
    model.eval()
    new: list[int] = []
    while len(new) < max_new:
        with torch.no_grad():
            logits = model(torch.tensor([[SOS, *prompt, *new]]))[0, -1]
        drawn = temperature > 0 and torch.multinomial((logits / temperature).softmax(0), 1, generator=generator)
        token = int(logits.argmax()) if temperature == 0 else int(drawn)
        if token == EOS:
            break
        new.append(token)
    return new


def accuracy(model: Any, batches: Sequence[tuple[Tensor, Tensor]]) -> float:
    """Share of rows whose largest logit is at the label, in evaluation mode."""
    model.eval()
    with torch.no_grad():
        hits = [(model(x).argmax(-1) == labels).float() for x, labels in batches]
    return float(torch.cat(hits).mean())


def gain(scratch: Sequence[Sequence[float]], pretrained: Sequence[Sequence[float]]) -> tuple[Any, Any]:
    """Interval of the paired gains at epoch 1, and of those in area. Raises ValueError for fewer than three seeds."""
    if len(scratch) < 3:
        raise ValueError("three seeds at least")
    pairs = list(zip(scratch, pretrained, strict=True))
    areas = [math.fsum(p) / len(p) - math.fsum(s) / len(s) for s, p in pairs]
    return mean_interval([p[0] - s[0] for s, p in pairs]), mean_interval(areas)


def last_token(logits: Tensor, x: Tensor) -> Tensor:
    """(B, T, C) and ids (B, T) -> (B, C): the logits at each row's last token that is not PAD."""
    last = (x != PAD).sum(1) - 1
    return logits[torch.arange(len(x)), last]


# ------------------------------------------------------------------------------------------- what was handed in


def model_from_weights(weights: Mapping[str, Tensor], n_tokens: int, n_classes: int) -> TextModel:
    """The model whose weights these are, of the notebook's size. Raises CourseError that names what does not fit."""
    model = TextModel(n_tokens, n_classes, *SIZES).eval()
    own = model.state_dict()
    for name, mine in own.items():
        theirs = tuple(weights[name].shape) if name in weights else "missing"
        if theirs != tuple(mine.shape):
            raise CourseError(
                f"the weights do not fit the model of this notebook: {name} is {theirs} instead of {tuple(mine.shape)}; "
                f"train with the sizes and the vocabulary given"
            )
    model.load_state_dict({name: weights[name].float() for name in own})
    return model


def classify(model: nn.Module, texts: Sequence[Sequence[int]]) -> list[int]:
    """The class of each encoded text, by the logits at its last token."""
    found: list[int] = []
    with torch.no_grad():
        for i in range(0, len(texts), 100):
            x, _ = lm_batch(texts[i : i + 100])
            found += last_token(model(x), x).argmax(-1).tolist()
    return found


def token_loss(model: nn.Module, texts: Sequence[Sequence[int]]) -> float:
    """Mean cross-entropy of a language model in nats per token, EOS included."""
    x, y = lm_batch(texts)
    with torch.no_grad():
        return lm_loss(model(x), y).item()


def test_accuracy(model: nn.Module, texts: Sequence[Sequence[int]], labels: Sequence[int]) -> float:
    """Share (0..1) of texts classified rightly."""
    return sum(a == b for a, b in zip(classify(model, texts), labels, strict=True)) / len(labels)


LEAST_ACCURACY = 0.83
"""Of the handed-in classifier on the hidden test. Right runs reach .87 to .99, scratch .50 to .65; word vectors alone and
the bag of words, which have no weights to hand in, .65 to .78."""
MOST_LOSS = 1.68
"""Nats per token on the hidden test. Right pretrainings end at 1.62 to 1.64, those that never learn the sides at 1.72 at
best, those without a causal mask, read with one, far above."""


def handed_in(files: Callable[[], tuple[Any, Any]]) -> str:
    """What is wrong with the files handed in, in one sentence, "" for nothing.

    Only weights and answers count, which are evaluated here: ``history.json`` is a table that the student's machine wrote.

    Args:
        files: gives the judge's ``handin`` and ``private``; outside of the judge these names do not exist (NameError), and
            nothing is handed in.
    """
    try:
        handin, private = files()
    except NameError:
        return ""
    c = Checker("accuracy_curves")
    answers, pieces = handin.lines("test_predictions.txt"), private.lines("pieces.txt")
    ids = [encode(text, pieces)[:LONGEST] for text in private.lines("test.review.spm")]
    labels = [int(line) for line in private.lines("test.label")]
    try:
        shape = "test_predictions.txt must hold 0 or 1 on every line: run the cell of the test reviews again"
        c.that(set(answers) <= {"0", "1"}, shape)
        require_pretrained(c, handin.weights("pretrained"), pieces, ids)
        require_finetuned(c, handin.weights("finetuned"), pieces, ids, labels, answers)
    except CheckFailed as error:
        return str(error)
    return ""


def require_curves(c: Any, history: Any) -> None:
    """What checks of releases made by version 0.1 ask of handed-in runs: three conditions with three seeds, and a shown gain."""
    curves: Any = history.get("curves") if type(history) is dict else None
    c.that(type(curves) is dict, "history.json must hold the curves of the comparison: run that cell again")
    conditions: Any = [curves.get(name) for name in ("from scratch", "pretrained", "frozen base")]
    c.that(
        all(type(runs) is list and len(runs) >= 3 for runs in conditions),
        "history.json needs three conditions with at least three seeds each",
    )
    sound = all(type(run) is list and len(run) == len(conditions[0][0]) >= 2 for runs in conditions for run in runs)
    c.that(sound, "the curves of history.json must be lists of one length, with one accuracy per epoch")
    values = [value for runs in conditions for run in runs for value in run]
    c.that(
        all(type(v) in (int, float) and 0 <= v <= 1 for v in values), "the accuracies of history.json must lie in 0..1"
    )
    c.that(
        all(len({tuple(run) for run in runs}) > 1 for runs in conditions),
        "all seeds of a condition gave the same curve: was the seed used?",
    )
    pairs = list(zip(conditions[0], conditions[1], strict=False))
    first = mean_interval([p[0] - s[0] for s, p in pairs])
    area = mean_interval([sum(p) / len(p) - sum(s) / len(s) for s, p in pairs])
    c.that(
        area[1] > 0, "your runs show no gain in area: was the pretrained base copied, and was the pretraining complete?"
    )
    c.that(
        first[1] > 0,
        "your runs show no gain at epoch 1: was the pretrained base copied, and was the pretraining complete?",
    )


def require_pretrained(
    c: Any, weights: Mapping[str, Tensor], pieces: Sequence[str], ids: Sequence[Sequence[int]]
) -> None:
    """The handed-in language model predicts unseen reviews, without seeing the future."""
    n = len(pieces) + 4
    try:
        loss = token_loss(model_from_weights(weights, n, n), ids)
    except CourseError as error:
        c.fails(f"pretrained.safetensors: {error}")
    c.that(
        loss < MOST_LOSS,
        f"the handed-in language model needs {loss:.2f} nats per token on unseen reviews, too many: "
        "was it trained to the end, with the causal mask?",
    )


def require_finetuned(
    c: Any, weights: Mapping[str, Tensor], pieces: Sequence[str], ids: Sequence[Sequence[int]],
    labels: Sequence[int], handed: Sequence[str],
) -> None:  # fmt: skip
    """The handed-in classifier judges unseen reviews, and the handed-in answers are its own."""
    try:
        found = classify(model_from_weights(weights, len(pieces) + 4, 2), ids)
    except CourseError as error:
        c.fails(f"finetuned.safetensors: {error}")
    right = sum(a == b for a, b in zip(found, labels, strict=True)) / len(labels)
    c.that(
        right >= LEAST_ACCURACY,
        f"the handed-in classifier is right on {right:.0%} of the hidden reviews, which forty labels alone explain: "
        "were the pretrained weights its start?",
    )
    c.that(
        len(handed) == len(labels),
        f"test_predictions.txt has {len(handed)} lines for {len(labels)} reviews: one 0 or 1 per line, in their order",
    )
    same = sum(str(a) == b.strip() for a, b in zip(found, handed, strict=True)) / len(labels)
    c.that(
        same >= 0.99,
        "test_predictions.txt is not what finetuned.safetensors answers: run the cells of the comparison and of the test again",
    )
