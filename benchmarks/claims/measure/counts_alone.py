"""How far counting gets: a reader of a review's counts, who knows the side of every word and forgets where the words stand.

It counts the adjectives of each side and every word of the grammar (``not``, ``far``, …). A small network, trained on the
reviews without label (whose labels the generator knows), judges by these counts. Compared with it: the sum of the sides as
the phrases turn them, which needs the order.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from benchmarks.claims.measure.unknown_sides import parsed
from course_utils.corpora import reviews

EPOCHS, WIDTH, BATCH = 10, 64, 128


def by_counts(seed: str) -> dict[str, float]:
    """Accuracy on dev and test reviews of a corpus: of the counts, and of the sum of the sides as they are meant."""
    corpus = reviews.generate(seed)
    words = _grammar(corpus)
    x, y = counted(corpus.unlabelled, corpus.words, words)
    other = x.clone()
    other[:, [0, 1]] = x[:, [1, 0]]  # the same review of the other side
    torch.manual_seed(0)
    judge = _trained(torch.cat([x, other]), torch.cat([y, 1 - y]))
    judged = [*corpus.dev, *corpus.test]
    x, y = counted(judged, corpus.words, words)
    with torch.no_grad():
        counts = float((judge(x).argmax(-1) == y).float().mean())
    meant = [(1 if r.label else -1) * sum(s.side * s.role for s in parsed(r.text, corpus.words)[0]) for r in judged]
    return {"counts": counts, "order": sum((m > 0) + (m == 0) / 2 for m in meant) / len(meant)}


def _grammar(corpus: reviews.Corpus) -> list[str]:
    """The words that are neither adjectives nor names."""
    w = corpus.words
    invented = {reviews.MARK + word for group in (w.against, w.in_favour, w.authors, w.places) for word in group}
    return sorted({piece for review in corpus.unlabelled for piece in review.text.split()} - invented)


def counted(rows: Iterable[reviews.Review], words: reviews.Words, grammar: Sequence[str]) -> tuple[Tensor, Tensor]:
    """Counts (N, 2 + words of the grammar), those of the two sides first, and labels (N,)."""
    column = {piece: k for k, piece in enumerate(grammar, 2)}
    for k, group in enumerate((words.against, words.in_favour)):
        column |= {reviews.MARK + word: k for word in group}
    rows = list(rows)
    counts = torch.zeros(len(rows), 2 + len(grammar))
    for n, review in enumerate(rows):
        for piece, times in Counter(review.text.split()).items():
            if piece in column:
                counts[n, column[piece]] += times
    return counts, torch.tensor([review.label for review in rows])


def _trained(x: Tensor, y: Tensor) -> nn.Module:
    """Two hidden layers on the counts x (N, W), trained on the labels y (N,)."""
    hidden = [nn.Linear(x.shape[1], WIDTH), nn.ReLU(), nn.Linear(WIDTH, WIDTH), nn.ReLU()]
    judge = nn.Sequential(*hidden, nn.Linear(WIDTH, 2))
    optimizer = torch.optim.AdamW(judge.parameters(), lr=2e-3, weight_decay=0.1)
    for _ in range(EPOCHS):
        for rows in torch.randperm(len(x)).split(BATCH):
            optimizer.zero_grad()
            F.cross_entropy(judge(x[rows]), y[rows]).backward()
            optimizer.step()
    return judge
