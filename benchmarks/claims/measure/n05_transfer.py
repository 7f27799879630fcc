"""What notebook 05 states about its mistakes and about what is transferred: its own corpus, eight seeds of finetuning.

Five pretrainings and about thirty short trainings, some ten CPU minutes.
"""

from __future__ import annotations

import contextlib
import io
import math
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from benchmarks.claims.measure.cells import names_of
from benchmarks.claims.measure.counts_alone import by_counts
from benchmarks.claims.measure.unknown_sides import readers
from benchmarks.paths import ROOT
from course_utils.corpora import reviews
from course_utils.lessons.transfer import (
    LONGEST,
    PAD,
    SIZES,
    bag_of_words,
    corpus_entropy,
    labelled_batches,
    load_reviews,
    position_table,
    word_vectors_alone,
)

SEEDS = list(range(8))
EPOCHS, SIZE = 8, 2


def measure() -> dict[str, Any]:
    """All results, by claim."""
    scope = prepared()
    models = {seed: pretrained(scope, seed) for seed in (0, 1, 2)}
    arms = {name: [_finetuned(scope, models[0][0], seed, **how) for seed in SEEDS] for name, how in _MISTAKES.items()}
    with changed(scope["Base"], _without_mask):
        open_model, open_loss = pretrained(scope, 0)
        arms["no mask"] = [_finetuned(scope, open_model, seed) for seed in SEEDS]
    with changed(scope["Base"], scope["Base"].forward, spread=1.0):
        long_loss = pretrained(scope, 0)[1]
    return {
        "seeds": SEEDS,
        "entropy": corpus_entropy(ROOT / "data" / "reviews"),
        "dev_loss": {str(seed): loss for seed, (_, loss) in models.items()},
        "dev_loss_without_mask": open_loss,
        "dev_loss_long_embeddings": long_loss,
        "arms": arms,
        "word_vectors": {str(seed): word_vectors(scope, model) for seed, (model, _) in models.items()},
        "word_vectors_untrained": {str(seed): word_vectors(scope, fresh(scope, seed)) for seed in SEEDS},
        "bag_of_words": bag_of_words(scope["data"]),
        "sum_of_sides": {str(world): _sum_of_sides(f"gain {world}") for world in range(5)},
        **{name: part() for name, part in PARTS.items()},
    }


def _unknown_sides() -> dict[str, dict[str, float]]:
    return {str(world): readers(f"gain {world}") for world in SEEDS}


def _counts_alone() -> dict[str, dict[str, float]]:
    return {str(world): by_counts(f"gain {world}") for world in range(5)}


_MISTAKES: dict[str, dict[str, Any]] = {
    "right": {},
    "verdict at padding": {"at_padding": True},
    "frozen, high rate": {"frozen": True, "head_rate": 3e-2},
}


def prepared(folder: Path = ROOT / "data" / "reviews") -> dict[str, Any]:
    """The notebook's names, with the reviews of a folder."""
    scope = names_of("05_transfer")
    data = load_reviews(folder)
    vocab = scope["Pieces"](data.pieces)
    texts = {"train": data.train, "dev": data.dev, "unlabelled": data.unlabelled}
    encoded = {name: [vocab.encode(text)[:LONGEST] for text in found] for name, found in texts.items()}
    scope |= {"data": data, "vocab": vocab, "encoded": encoded, "PRETRAIN_EPOCHS": 16}
    return scope


def fresh(scope: dict[str, Any], seed: int) -> Any:
    """A language model that was never trained."""
    torch.manual_seed(seed)
    return scope["TextModel"](len(scope["vocab"]), len(scope["vocab"]), *SIZES)


def pretrained(scope: dict[str, Any], seed: int) -> tuple[Any, float]:
    """A pretrained model, and its loss on dev in nats per token."""
    model = fresh(scope, seed)
    with contextlib.redirect_stdout(io.StringIO()):
        scope["pretrain"](model)
    model.eval()
    with torch.no_grad():
        batches = list(scope["batches"](scope["encoded"]["dev"], scope["lm_batch"], 100, 0))
        rows = [(scope["lm_loss"](model(x), y).item(), int((y != PAD).sum())) for x, y in batches]
    return model, sum(loss * n for loss, n in rows) / sum(n for _, n in rows)


@contextlib.contextmanager
def changed(base: type, forward: Callable[..., Tensor], spread: float | None = None) -> Any:
    """A base with another forward pass, or with embeddings of another standard deviation, for a while."""
    kept_forward, kept_init = base.forward, base.__init__  # type: ignore[misc]

    def init(self: Any, *sizes: Any) -> None:
        kept_init(self, *sizes)
        if spread is not None:
            nn.init.normal_(self.embedding.weight, std=spread)

    base.forward, base.__init__ = forward, init  # type: ignore[attr-defined, misc]
    try:
        yield
    finally:
        base.forward, base.__init__ = kept_forward, kept_init  # type: ignore[attr-defined, misc]


def _without_mask(self: Any, x: Tensor) -> Tensor:
    """The base's forward pass with the causal mask forgotten; padding is still hidden."""
    T, D = x.shape[1], self.embedding.embedding_dim
    h = math.sqrt(D) * self.embedding(x) + position_table(T, D)
    return self.encoder(self.dropout(h), src_key_padding_mask=x == PAD)


class Verdict(nn.Module):
    """The model's logits at the last real token, or at the last column whatever stands there."""

    def __init__(self, model: Any, pick: Callable[[Tensor, Tensor], Tensor]) -> None:
        super().__init__()
        self.model, self.pick = model, pick

    def forward(self, x: Tensor) -> Tensor:
        """(B, T) -> (B, 2)."""
        return self.pick(self.model(x), x)


def _finetuned(
    scope: dict[str, Any],
    pretrained: Any,
    seed: int,
    *,
    at_padding: bool = False,
    frozen: bool = False,
    head_rate: float = 3e-3,
) -> dict[str, float]:
    """Accuracy on dev after finetuning as in the notebook, with the words of each review shuffled, and with dropout on."""
    judge = trained(scope, pretrained, seed, at_padding=at_padding, frozen=frozen, head_rate=head_rate)
    dev, shuffled = _dev(scope)
    found = {"dev": _share(judge.eval(), dev), "shuffled": _share(judge, shuffled)}
    return found | {"dropout_on": _share(judge.train(), dev)}


def trained(
    scope: dict[str, Any],
    pretrained: Any,
    seed: int,
    *,
    at_padding: bool = False,
    frozen: bool = False,
    head_rate: float = 3e-3,
) -> Verdict:
    """A classifier that is finetuned as in the notebook."""
    torch.manual_seed(seed)
    data, encoded = scope["data"], scope["encoded"]
    model = scope["transfer"](pretrained, 2, frozen=frozen)
    groups = [{"params": model.base.parameters(), "lr": 1e-3}, {"params": model.head.parameters(), "lr": head_rate}]
    optimizer = torch.optim.Adam(groups)
    judge = Verdict(model, (lambda out, x: out[:, -1]) if at_padding else scope["last_token"])
    for epoch in range(EPOCHS):
        rows = labelled_batches(encoded["train"], data.train_labels, scope["lm_batch"], SIZE, 1000 * seed + epoch)
        scope["train_epoch"](judge, optimizer, rows, F.cross_entropy)
    return judge


def _dev(scope: dict[str, Any]) -> tuple[Any, Any]:
    """Batches of the dev reviews, and of the same with the words of each review shuffled."""
    data, encoded = scope["data"], scope["encoded"]
    dev = labelled_batches(encoded["dev"], data.dev_labels, scope["lm_batch"], 100, None)
    mixed = [random.Random(k).sample(row, len(row)) for k, row in enumerate(encoded["dev"])]
    return dev, labelled_batches(mixed, data.dev_labels, scope["lm_batch"], 100, None)


def _without_dropout_on_sum() -> dict[str, Any]:
    """One pretraining whose base drops nothing before the encoder, which the exercise allows, and what it is good for."""
    scope = prepared()
    with changed(scope["Base"], no_dropout_on_sum):
        model, loss = pretrained(scope, 0)
        arms = {
            name: [
                read(scope, trained(scope, model, seed, at_padding=False, frozen=frozen, head_rate=3e-3))
                for seed in range(runs)
            ]
            for name, frozen, runs in (("pretrained", False, 6), ("frozen base", True, 4))
        }
    return {"dev_loss": loss, "word_vectors": word_vectors(scope, model), "arms": arms}


def no_dropout_on_sum(self: Any, x: Tensor) -> Tensor:
    """The base's forward pass that drops nothing before the encoder."""
    T, D = x.shape[1], self.embedding.embedding_dim
    h = math.sqrt(D) * self.embedding(x) + position_table(T, D)
    return self.encoder(h, mask=torch.ones(T, T, dtype=torch.bool).triu(1))


def read(scope: dict[str, Any], judge: Verdict) -> dict[str, float]:
    """Accuracy on dev, with the words shuffled and with dropout on, and what *not* does to words without a label.

    ``turned`` is the correlation of the verdicts on a word and on *not* that word, ``slope`` the slope of the straight
    line through them that leaves the smallest squares.
    """
    dev, shuffled = _dev(scope)
    found = {"dev": _share(judge.eval(), dev), "shuffled": _share(judge, shuffled), **_turned(scope, judge)}
    found["dropout_on"] = _share(judge.train(), dev)
    judge.eval()
    return found


def never_labelled(scope: dict[str, Any]) -> list[str]:
    """The adjectives that no labelled review holds."""
    data = scope["data"]
    labelled = {piece for text in data.train for piece in text.split()}
    behind = {part.split()[0] for text in data.unlabelled for part in text.split("▁than ")[1:]}
    return sorted(behind - labelled)


@torch.no_grad()
def _turned(scope: dict[str, Any], judge: Verdict) -> dict[str, float]:
    """Correlation and slope of the verdicts on a word and on *not* that word, over the adjectives that no label touched."""
    words = never_labelled(scope)
    verdicts = []
    for before in ("", "▁not "):
        x, _ = scope["lm_batch"]([scope["vocab"].encode(f"▁my ▁verdict : {before}{word} .") for word in words])
        verdicts.append(judge(x).diff(dim=1)[:, 0])
    both = torch.cov(torch.stack(verdicts))
    return {"turned": float(torch.corrcoef(torch.stack(verdicts))[0, 1]), "slope": float(both[0, 1] / both[0, 0])}


@torch.no_grad()
def _share(judge: nn.Module, rows: Any) -> float:
    """Share of right verdicts, in the mode in which the module is."""
    right = [(judge(x).argmax(-1) == labels).float() for x, labels in rows]
    return float(torch.cat(right).mean())


def _sum_of_sides(seed: str) -> float:
    """Share of a corpus's reviews that the sum of their words' true sides judges rightly; a sum of 0 counts half."""
    corpus = reviews.generate(seed)
    named = ((-1, corpus.words.against), (1, corpus.words.in_favour))
    side = {reviews.MARK + word: sign for sign, words in named for word in words}
    rows = [*corpus.train, *corpus.dev, *corpus.test, *corpus.unlabelled]
    sums = [(1 if r.label else -1) * sum(side.get(piece, 0) for piece in r.text.split()) for r in rows]
    return sum((s > 0) + (s == 0) / 2 for s in sums) / len(sums)


def word_vectors(scope: dict[str, Any], model: Any) -> float:
    """Accuracy on dev of the mean of a review's word vectors under a logistic regression."""
    return word_vectors_alone(model.base.embedding.weight, scope["encoded"], scope["data"])


PARTS: dict[str, Callable[[], Any]] = {
    "unknown_sides": _unknown_sides,
    "counts_alone": _counts_alone,
    "without_dropout_on_sum": _without_dropout_on_sum,
}
