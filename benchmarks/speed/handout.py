"""Peer (a): training and evaluation as in the original handout, written anew for comparison.

Eager fp32; attention whose scores are materialised; a dataset that corrupts one item at a time in Python; batches
always as wide as the block; ``.item()`` after every step for the progress line; answers sampled one question at a
time with the whole prefix recomputed for every character. Peer (a′) is the same with improvements of one line each, so
that the comparison is fair: fused attention, rows trimmed to the longest of the batch, one ``.item()`` per epoch,
questions of equal length decoded together.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.utils.data import DataLoader, Dataset

PAD, MASK = 0, 1


@dataclass(frozen=True)
class Size:
    """The handout's model: 4 layers, 8 heads, 256 wide, block 128; 3,323,392 parameters with 256 characters."""

    vocab_size: int = 256
    block_size: int = 128
    n_layer: int = 4
    n_head: int = 8
    n_embd: int = 256
    dropout: float = 0.1


class Attention(nn.Module):
    """Causal self-attention; ``fused`` is the one-line fix."""

    def __init__(self, size: Size, fused: bool):
        super().__init__()
        d = size.n_embd
        self.key, self.query, self.value, self.proj = (nn.Linear(d, d) for _ in range(4))
        self.attn_drop, self.resid_drop = nn.Dropout(size.dropout), nn.Dropout(size.dropout)
        self.n_head, self.fused, self.dropout = size.n_head, fused, size.dropout
        self.register_buffer("mask", torch.tril(torch.ones(size.block_size, size.block_size)), persistent=False)

    def forward(self, x: Tensor) -> Tensor:
        """(B, T, D) -> (B, T, D)."""
        B, T, D = x.shape
        q, k, v = (
            f(x).view(B, T, self.n_head, D // self.n_head).transpose(1, 2) for f in (self.query, self.key, self.value)
        )  # (B, T, D) -> (B, H, T, D/H)
        if self.fused:
            y = F.scaled_dot_product_attention(
                q, k, v, is_causal=True, dropout_p=self.dropout if self.training else 0.0
            )
        else:
            scores = q @ k.transpose(-2, -1) / math.sqrt(D // self.n_head)  # (B, H, T, T)
            scores = scores.masked_fill(self.mask[:T, :T] == 0, -1e10)
            y = self.attn_drop(F.softmax(scores, dim=-1)) @ v
        y = y.transpose(1, 2).contiguous().view(B, T, D)  # (B, H, T, D/H) -> (B, T, D)
        return self.resid_drop(self.proj(y))


class Block(nn.Module):
    """Pre-norm block with a feed-forward of four times the width."""

    def __init__(self, size: Size, fused: bool):
        super().__init__()
        d = size.n_embd
        self.norm1, self.norm2 = nn.LayerNorm(d), nn.LayerNorm(d)
        self.attention = Attention(size, fused)
        self.mlp = nn.Sequential(nn.Linear(d, 4 * d), nn.GELU(), nn.Linear(4 * d, d), nn.Dropout(size.dropout))

    def forward(self, x: Tensor) -> Tensor:
        """(B, T, D) -> (B, T, D)."""
        x = x + self.attention(self.norm1(x))
        return x + self.mlp(self.norm2(x))


class HandoutGPT(nn.Module):
    """The handout's GPT: same sizes, parameters and dropout as ours."""

    def __init__(self, size: Size, fused: bool = False):
        super().__init__()
        self.size = size
        self.tokens = nn.Embedding(size.vocab_size, size.n_embd)
        self.positions = nn.Parameter(torch.zeros(1, size.block_size, size.n_embd))
        self.drop = nn.Dropout(size.dropout)
        self.blocks = nn.Sequential(*(Block(size, fused) for _ in range(size.n_layer)))
        self.norm, self.head = nn.LayerNorm(size.n_embd), nn.Linear(size.n_embd, size.vocab_size, bias=False)
        self.apply(self._init)

    @staticmethod
    def _init(module: nn.Module) -> None:
        if isinstance(module, nn.Linear | nn.Embedding):
            nn.init.normal_(module.weight, 0.0, 0.02)
            if isinstance(module, nn.Linear) and module.bias is not None:
                nn.init.zeros_(module.bias)

    def forward(self, ids: Tensor) -> Tensor:
        """(B, T) -> logits (B, T, V)."""
        x = self.drop(self.tokens(ids) + self.positions[:, : ids.shape[1]])
        return self.head(self.norm(self.blocks(x)))


class ItemCorruption(Dataset[tuple[Tensor, Tensor]]):
    """Span corruption, one document at a time in plain Python, with the distribution that notebook 07 states."""

    def __init__(self, documents: Sequence[str], stoi: dict[str, int], block_size: int, seed: int = 0):
        self.documents, self.stoi, self.block_size = list(documents), stoi, block_size
        self.rng = random.Random(seed)

    def __len__(self) -> int:
        return len(self.documents)

    def __getitem__(self, index: int) -> tuple[Tensor, Tensor]:
        kept = self.documents[index][: self.rng.randint(4, self.block_size * 7 // 8)]
        n = self.rng.randint(1, max(1, len(kept) // 2 - 1))
        start = self.rng.randint(0, len(kept) - n)
        ids = [self.stoi[c] for c in kept]
        row = [*ids[:start], MASK, *ids[start + n :], MASK, *ids[start : start + n]]
        row += [PAD] * (self.block_size + 1 - len(row))
        return torch.tensor(row[:-1], dtype=torch.long), torch.tensor(row[1:], dtype=torch.long)


def batches(dataset: Dataset, batch_size: int) -> Iterator[tuple[Tensor, Tensor]]:
    """Endless batches in the order of the file (the original never shuffles).

    Raises:
        ValueError: fewer items than a batch.
    """
    if len(dataset) < batch_size:  # type: ignore[arg-type]
        raise ValueError(f"{len(dataset)} items make no batch of {batch_size}")  # type: ignore[arg-type]
    while True:
        yield from DataLoader(dataset, batch_size=batch_size, num_workers=0, drop_last=True)


def train_steps(
    model: HandoutGPT, feed: Iterator[tuple[Tensor, Tensor]], steps: int, lr: float, fixed: bool = False
) -> list[float]:
    """Train for ``steps`` steps on the model's device; return the losses (nats per token that is not padding)."""
    device = next(model.parameters()).device
    optimiser = torch.optim.AdamW(model.parameters(), lr=lr, betas=(0.9, 0.95), weight_decay=0.1)
    model.train()
    losses: list[Tensor | float] = []
    for _ in range(steps):
        x, y = next(feed)
        if fixed:  # one-line fix: nothing is learned from columns that are padding in every row
            width = int((y != PAD).any(0).nonzero().max()) + 1
            x, y = x[:, :width], y[:, :width]
        x, y = x.to(device), y.to(device)
        logits = model(x)
        flat = logits.view(-1, logits.shape[-1])  # (B, T, V) -> (B*T, V)
        loss = F.cross_entropy(flat, y.reshape(-1), ignore_index=PAD)  # (B, T) -> (B*T,)
        model.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()
        losses.append(loss.detach() if fixed else loss.item())
    return [float(loss) for loss in losses]


@torch.no_grad()
def sample_one_by_one(model: HandoutGPT, prompts: Sequence[list[int]], new: int = 32) -> list[list[int]]:
    """Greedy continuation of each prompt alone, ``new`` characters, nothing cached."""
    model.eval()
    device = next(model.parameters()).device
    answers = []
    for prompt in prompts:
        ids = torch.tensor([prompt], device=device)
        for _ in range(new):
            logits = model(ids[:, -model.size.block_size :])[:, -1]
            ids = torch.cat([ids, logits.argmax(-1, keepdim=True)], dim=1)  # (1, t) -> (1, t + 1)
        answers.append(_until_stop(ids[0, len(prompt) :].tolist()))
    return answers


@torch.no_grad()
def sample_by_length(model: HandoutGPT, prompts: Sequence[list[int]], new: int = 32) -> list[list[int]]:
    """The same for (a′): prompts of equal length share a batch."""
    model.eval()
    device = next(model.parameters()).device
    answers: list[list[int]] = [[] for _ in prompts]
    for length in sorted({len(p) for p in prompts}):
        where = [i for i, p in enumerate(prompts) if len(p) == length]
        ids = torch.tensor([prompts[i] for i in where], device=device)
        for _ in range(new):
            ids = torch.cat([ids, model(ids[:, -model.size.block_size :])[:, -1].argmax(-1, keepdim=True)], dim=1)
        for i, row in zip(where, ids[:, length:].tolist(), strict=True):
            answers[i] = _until_stop(row)
    return answers


def _until_stop(ids: list[int]) -> list[int]:
    """The characters before the first sentinel or padding."""
    return ids[: next((i for i, c in enumerate(ids) if c in (PAD, MASK)), len(ids))]
