"""The four small models of notebook 06: how they are trained, and how each of them answers a probe.

The graded objectives and corruptions are not here: they are passed in as ``Parts``. Nothing here computes a score.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from tqdm.auto import tqdm

from course_utils.corpora.stories import (
    CLS,
    LONGEST,
    MASK,
    PAD,
    SENTINELS,
    SEP,
    SPECIAL,
    VOCAB,
    Gap,
    encode,
)
from course_utils.errors import CourseError
from course_utils.lessons.pretraining import Reader, padded, similar_lengths
from course_utils.optim import Muon

MODELS = ("ELMo", "GPT", "BERT", "T5")
STEPS = {"ELMo": 1200, "GPT": 1200, "BERT": 1800, "T5": 1500}
# share of the words that T5 must write, drawn for each text, so that number and length of the gaps vary
SHARES = (0.04, 0.3)
WIDTH = 64
WINDOW = 8  # batches whose rows are sorted by length together
STOP = encode(".")[0]
MOST_WORDS = 10  # longest sentence that a model may write; the grammar's longest has 9
BERT_GUESS = 2  # number of masks where the number of missing words is unknown to BERT

Rows = list[list[int]]


@dataclass(frozen=True)
class Parts:
    """The student's classes and functions from this notebook's exercises, whose texts give arguments and results."""

    Elmo: Callable[..., nn.Module]
    elmo_loss: Callable[..., Tensor]
    causal_loss: Callable[..., Tensor]
    bert_mask: Callable[..., tuple[Tensor, Tensor]]
    t5_spans: Callable[..., tuple[list[int], list[int]]]


# -------------------------------------------------------------------------------------------------------------- models


def waves_(table: nn.Embedding) -> nn.Embedding:
    """Set position vectors to sinusoids (Vaswani et al. 2017, section 3.5) of norm 0.1·sqrt(width), in place.

    Training changes them further. One linear map then leads from every position to the next one.
    """
    T, d = table.weight.shape
    angles = torch.arange(T)[:, None] * 10000 ** (-torch.arange(0, d, 2) / d)  # (T, 1) * (d/2,) -> (T, d/2)
    with torch.no_grad():
        waves = torch.stack([angles.sin(), angles.cos()], -1).flatten(1)  # (T, d/2, 2) -> (T, d)
        table.weight.copy_(0.1 * math.sqrt(2) * waves)
    return table


class Seq2Seq(nn.Module):
    """A bidirectional encoder of the source and a causal decoder that attends to it: a small T5."""

    def __init__(self, vocab_size: int, longest: int, width: int = WIDTH, heads: int = 4, layers: int = 2) -> None:
        super().__init__()
        self.word, self.place = nn.Embedding(vocab_size, width), waves_(nn.Embedding(longest, width))
        nn.init.normal_(self.word.weight, std=0.1)
        down = nn.TransformerEncoderLayer(width, heads, 4 * width, 0.0, "gelu", batch_first=True, norm_first=True)
        up = nn.TransformerDecoderLayer(width, heads, 4 * width, 0.0, "gelu", batch_first=True, norm_first=True)
        self.encoder = nn.TransformerEncoder(down, layers, nn.LayerNorm(width), enable_nested_tensor=False)
        self.decoder = nn.TransformerDecoder(up, 1, nn.LayerNorm(width))
        self.bias = nn.Parameter(torch.zeros(vocab_size))

    def _embedded(self, ids: Tensor) -> Tensor:
        return self.word(ids) + self.place.weight[: ids.shape[1]]  # (B, T, D) + (T, D)

    def states(self, source: Tensor) -> Tensor:
        """source (B, S) -> (B, S, width): what the encoder makes of it; PAD is hidden as a key."""
        return self.encoder(self._embedded(source), src_key_padding_mask=source == PAD)

    def decode(self, states: Tensor, source: Tensor, target: Tensor) -> Tensor:
        """Encoder states (B, S, width), source (B, S), target so far (B, T) -> next-token logits (B, T, V)."""
        T = target.shape[1]
        later = torch.ones(T, T, dtype=torch.bool, device=target.device).triu(1)
        x = self.decoder(self._embedded(target), states, later, memory_key_padding_mask=source == PAD)
        return F.linear(x, self.word.weight, self.bias)  # T5's output layer shares the word embedding

    def forward(self, source: Tensor, target: Tensor) -> Tensor:
        """source (B, S), target (B, T) -> logits (B, T, V) about the token after each target token."""
        return self.decode(self.states(source), source, target)


def new_model(name: str, parts: Parts, seed: int) -> nn.Module:
    """A fresh model of MODELS. Raises CourseError for another name."""
    torch.manual_seed(seed)
    if name == "ELMo":
        return parts.Elmo(VOCAB, WIDTH, PAD)
    if name == "T5":
        return Seq2Seq(VOCAB, LONGEST)
    if name not in MODELS:
        raise CourseError(f"{name!r} is none of {', '.join(MODELS)}.")
    model = Reader(VOCAB, LONGEST, WIDTH, causal=name == "GPT")
    waves_(model.place)
    return model


# ------------------------------------------------------------------------------------------------------------ training


def objective(name: str, model: Any, parts: Parts, seed: int) -> Callable[[Rows], Tensor]:
    """The training objective of the model: a function from lines ``[CLS] words [SEP]`` to a loss in nats."""
    rng, draws = random.Random(seed), torch.Generator().manual_seed(seed)

    def elmo(rows: Rows) -> Tensor:
        ids = padded(rows)
        forwards, backwards, _ = model(ids)
        return parts.elmo_loss(forwards, backwards, ids, PAD)

    def gpt(rows: Rows) -> Tensor:
        ids = padded(rows)
        return parts.causal_loss(model(ids), ids, PAD)

    def bert(rows: Rows) -> Tensor:
        x, y = parts.bert_mask(padded(rows), SPECIAL, MASK, VOCAB, draws)
        return F.cross_entropy(model(x).flatten(0, 1), y.flatten())  # (B, T, V) -> (B·T, V); -100 does not count

    def t5(rows: Rows) -> Tensor:
        pairs = [parts.t5_spans(row[1:-1], SENTINELS, rng, rng.uniform(*SHARES), 3.0) for row in rows]
        return text_loss(model, [([CLS, *source, SEP], target) for source, target in pairs])

    return {"ELMo": elmo, "GPT": gpt, "BERT": bert, "T5": t5}[name]


def text_loss(model: Any, pairs: Sequence[tuple[list[int], list[int]]]) -> Tensor:
    """Mean nats per target token of a Seq2Seq, each predicted from the right tokens before it; the decoder begins with CLS."""
    source, target = padded([s for s, _ in pairs]), padded([[CLS, *t] for _, t in pairs])
    logits = model(source, target[:, :-1])
    return F.cross_entropy(logits.flatten(0, 1), target[:, 1:].flatten(), ignore_index=PAD)  # (B, T, V) -> (B·T, V)


def train_by(
    model: nn.Module, loss_of: Callable[[list], Tensor], rows: Sequence, steps: int, seed: int, name: str = ""
) -> list[float]:
    """Minimise ``loss_of(32 of the rows)`` for ``steps`` steps; return the loss of every step.

    The learning rate has a warm-up, then falls linearly to 2 %. Muon trains the matrices of Transformer blocks, AdamW the
    rest: this needs three times fewer steps than AdamW alone.
    """
    inner = [
        p for n, p in model.named_parameters() if p.ndim == 2 and n.split(".")[0] in ("blocks", "encoder", "decoder")
    ]
    known = {id(p) for p in inner}
    others = [p for p in model.parameters() if id(p) not in known]
    optimizers: list[torch.optim.Optimizer] = [torch.optim.AdamW(others, lr=5e-3, weight_decay=0.01)]
    optimizers += [Muon(inner, lr=0.02)] if inner else []
    schedules = [
        torch.optim.lr_scheduler.LambdaLR(o, lambda s: min((s + 1) / 50, max(0.02, 1 - s / steps))) for o in optimizers
    ]
    history = []
    model.train()
    for batch in _with_bar(islice(_batches(rows, 32, seed), steps), steps, name):
        model.zero_grad()
        loss = loss_of(batch)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        for part in (*optimizers, *schedules):
            part.step()  # type: ignore[attr-defined]
        history.append(loss.item())
    model.eval()
    return history


def _with_bar(batches: Iterator[list], steps: int, name: str) -> Iterator[list]:
    """The same batches with a progress bar from the second on, so that an unsolved exercise shows no empty bar."""
    yield from islice(batches, 1)
    yield from tqdm(batches, initial=1, total=steps, desc=name, disable=None, leave=False)


def _batches(rows: Sequence, size: int, seed: int) -> Iterator[list]:
    """Endless batches of rows of similar length, in random order; every row occurs once before any is repeated."""
    rng, lengths = torch.Generator().manual_seed(seed), [len(row) for row in rows]
    while True:
        order = torch.randperm(len(rows), generator=rng).tolist()
        found = similar_lengths(order, lengths, size, WINDOW)
        for k in torch.randperm(len(found), generator=rng).tolist():
            yield [rows[i] for i in found[k]]


# ------------------------------------------------------------------------------------------- how each model answers


def next_logits(name: str, model: Any, rows: Rows) -> Tensor:
    """Logits (B, V) about the token after each row, of GPT or of ELMo's forward direction."""
    ids = padded(rows)
    logits = model(ids)[0] if name == "ELMo" else model(ids)
    return logits[torch.arange(len(rows)), torch.tensor([len(row) - 1 for row in rows])]  # (B, T, V) -> (B, V)


def states_of(name: str, model: Any, lines: Rows) -> Tensor:
    """Frozen states (B, T, D): for ELMo of both directions, for T5 of the encoder."""
    with torch.no_grad():
        ids = padded(lines)
        return model(ids)[2] if name == "ELMo" else model.states(ids)


@torch.no_grad()
def fill_blanks(name: str, model: Any, probes: Sequence[Gap]) -> Rows:
    """One word for each gap of one word, as lists of ids; all models but T5 know that one word is missing."""
    if name == "T5":
        return fill_gaps(name, model, probes)
    if name == "BERT":
        logits = model(padded([[*p.left, MASK, *p.right] for p in probes]))
        return [[int(row[len(p.left)].argmax())] for row, p in zip(logits, probes, strict=True)]
    found = next_logits(name, model, [p.left for p in probes]).log_softmax(-1)
    if name == "ELMo":  # its backward direction predicts the word before those on the right
        found = found + model(padded([p.right for p in probes]))[1][:, 0].log_softmax(-1)
    return [[int(row.argmax())] for row in found]


@torch.no_grad()
def fill_gaps(name: str, model: Any, probes: Sequence[Gap]) -> Rows:
    """Words for each gap of unknown length, in one pass and without trying several lengths."""
    if name == "T5":
        return written(model, [[*p.left, SENTINELS[0], *p.right] for p in probes])
    if name == "BERT":
        logits = model(padded([p.left + [MASK] * BERT_GUESS + p.right for p in probes]))
        places = [range(len(p.left), len(p.left) + BERT_GUESS) for p in probes]
        return [row[list(at)].argmax(-1).tolist() for row, at in zip(logits, places, strict=True)]
    rows = [list(p.left) for p in probes]
    for _ in range(MOST_WORDS // 2):
        for row, logits in zip(rows, next_logits(name, model, rows), strict=True):
            row.append(int(logits.argmax()))
    new = [row[len(p.left) :] for row, p in zip(rows, probes, strict=True)]
    # the word after the gap is visible: the words written before it are the answer
    return [n[: n.index(p.right[0])] if p.right[0] in n else n for n, p in zip(new, probes, strict=True)]


@torch.no_grad()
def written(
    model: Seq2Seq, sources: Rows, most: int = 6, ends: tuple[int, ...] = (SENTINELS[1],), draws: Any = None
) -> Rows:
    """The output of a Seq2Seq for each source before one of ``ends``, without the first sentinel: at most ``most`` words.

    Each token is the most probable one, or drawn from ``draws`` if this is a generator.
    """
    source = padded(sources)
    states, target = model.states(source), torch.full((len(sources), 1), CLS)
    for _ in range(most + 1):
        logits = model.decode(states, source, target)[:, -1]  # (B, T, V) -> (B, V)
        target = torch.cat([target, _chosen(logits, draws)[:, None]], 1)  # (B, T) -> (B, T+1)
    rows = [[i for i in row[1:] if i != SENTINELS[0]] for row in target.tolist()]
    cuts = [next((k for k, i in enumerate(row) if i in ends), len(row)) for row in rows]
    return [row[:cut] for row, cut in zip(rows, cuts, strict=True)]


def _chosen(logits: Tensor, draws: torch.Generator | None) -> Tensor:
    """(B, V) -> (B,): the largest, or with a generator one drawn from the softmax."""
    if draws is None:
        return logits.argmax(-1)
    return torch.multinomial(logits.softmax(-1), 1, generator=draws)[:, 0]  # (B, 1) -> (B,)


@torch.no_grad()
def continued(name: str, model: Any, prompts: Rows, seed: int) -> Rows:
    """Two more sentences for each prompt, drawn word by word."""
    draws = torch.Generator().manual_seed(seed)
    one = _sentence(name, model, prompts, draws)
    two = _sentence(name, model, [p + s for p, s in zip(prompts, one, strict=True)], draws)
    return [a + b for a, b in zip(one, two, strict=True)]


def _sentence(name: str, model: Any, prompts: Rows, draws: torch.Generator) -> Rows:
    """One more sentence for each prompt, of at most MOST_WORDS words."""
    rows: Rows = [[] for _ in prompts]
    for k in range(MOST_WORDS):
        so_far = [p + r for p, r in zip(prompts, rows, strict=True)]
        if name == "T5":  # the words that it writes for a sentinel at the end, repeatedly
            new = written(model, [[*row, SENTINELS[0], SEP] for row in so_far], draws=draws)
        elif name == "BERT":  # masks for the rest of a sentence of typical length; only the first is filled
            masks = [MASK] * max(1, 6 - k)
            logits = model(padded([[*row, *masks, SEP] for row in so_far]))
            at = torch.tensor([len(row) for row in so_far])
            new = _chosen(logits[torch.arange(len(rows)), at], draws)[:, None].tolist()  # (B, T, V) -> (B, V)
        else:
            new = _chosen(next_logits(name, model, so_far), draws)[:, None].tolist()
        rows = [r if STOP in r or len(r) >= MOST_WORDS else r + n for r, n in zip(rows, new, strict=True)]
    return [r[: r.index(STOP) + 1] if STOP in r else r for r in rows]


def read_out(states: Tensor, labels: Sequence[int], new: Tensor) -> list[int]:
    """Labels 0 or 1 for ``new`` (M, D) by a logistic regression fitted on states (N, D) and ``labels``."""
    mean, spread = states.mean(0), states.std(0) + 1e-5
    head = nn.Linear(states.shape[1], 2)
    nn.init.zeros_(head.weight)
    x, y = (states - mean) / spread, torch.tensor(labels)
    optimizer = torch.optim.LBFGS(head.parameters(), max_iter=60)

    def closure() -> Tensor:
        optimizer.zero_grad()
        loss = F.cross_entropy(head(x), y) + 1e-2 * head.weight.square().sum()
        loss.backward()
        return loss

    optimizer.step(closure)
    with torch.no_grad():
        return head((new - mean) / spread).argmax(-1).tolist()
