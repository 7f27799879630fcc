"""A small language with a known entropy, and a tiny model of it: shows what a wrong mask does to loss and generation."""

from __future__ import annotations

from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import Tensor, nn

SYMBOLS, LENGTH = 24, 24
CHANCES = torch.tensor([0.6, 0.3, 0.1])
"""Probabilities of the three symbols that may follow; the symbol two places back decides which three."""
ENTROPY = float(-(CHANCES * CHANCES.log()).sum())
"""Entropy in nats (natural logarithm) per symbol: the smallest mean loss of a model that does not see its targets."""


def successors(seed: int = 0) -> Tensor:
    """The grammar (SYMBOLS, 3): for each symbol, the three that may stand two places after it."""
    rng = torch.Generator().manual_seed(seed)
    rows = [torch.randperm(SYMBOLS, generator=rng)[:3] for _ in range(SYMBOLS)]
    return torch.stack(rows)  # SYMBOLS times (3,) -> (SYMBOLS, 3)


def sample_text(grammar: Tensor, rows: int, rng: torch.Generator) -> Tensor:
    """Random sentences: int64 (rows, LENGTH + 1); the first two symbols are free."""
    text = list(torch.randint(SYMBOLS, (2, rows), generator=rng))  # (2, rows) -> 2 x (rows,)
    for _ in range(LENGTH - 1):
        choice = torch.multinomial(CHANCES.expand(rows, 3), 1, generator=rng).squeeze(1)  # (rows, 1) -> (rows,)
        text.append(grammar[text[-2], choice])
    return torch.stack(text, 1)  # LENGTH + 1 times (rows,) -> (rows, LENGTH + 1)


class TinyModel(nn.Module):
    """One attention layer and one feed-forward layer over symbols; the mask is an argument."""

    def __init__(self, width: int = 32) -> None:
        super().__init__()
        self.symbol, self.position = nn.Embedding(SYMBOLS, width), nn.Embedding(LENGTH, width)
        self.qkv, self.head = nn.Linear(width, 3 * width), nn.Linear(width, SYMBOLS)
        self.feed = nn.Sequential(nn.Linear(width, 2 * width), nn.ReLU(), nn.Linear(2 * width, width))

    def forward(self, ids: Tensor, mask: Tensor) -> Tensor:
        """Ids (B, L) and a mask (L, L), True where attention is allowed -> logits (B, L, SYMBOLS)."""
        x = self.symbol(ids) + self.position.weight[: ids.shape[1]]
        q, k, v = self.qkv(x).chunk(3, -1)  # (B, L, 3D) -> 3 x (B, L, D)
        x = x + F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
        return self.head(x + self.feed(x))


def try_mask(mask_of: Callable[[int], Tensor], steps: int = 400, seed: int = 0) -> tuple[float, float]:
    """Train with the (L, L) mask ``mask_of(L)``; returns the final loss in nats and the share of valid generations.

    A generation is valid if all its transitions are allowed by the grammar.
    """
    rng = torch.Generator().manual_seed(seed)
    grammar = successors(seed)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model = TinyModel()
    optimizer, losses, mask = torch.optim.Adam(model.parameters(), lr=1e-2), [], mask_of(LENGTH)
    for _ in range(steps):
        text = sample_text(grammar, 32, rng)
        logits = model(text[:, :-1], mask)
        loss = F.cross_entropy(logits[:, 1:].flatten(0, 1), text[:, 2:].flatten())  # (B, L-1, V) -> (B·(L-1), V)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return sum(losses[-20:]) / 20, _valid(model, mask_of, grammar, rng)


@torch.no_grad()
def _valid(model: TinyModel, mask_of: Callable[[int], Tensor], grammar: Tensor, rng: torch.Generator) -> float:
    """Share of 200 sampled continuations of 12 symbols that the grammar allows."""
    ids = torch.randint(SYMBOLS, (200, 2), generator=rng)
    for _ in range(12):
        logits = model(ids, mask_of(ids.shape[1]))[:, -1]
        ids = torch.cat([ids, torch.multinomial(logits.softmax(-1), 1, generator=rng)], 1)  # (200, L) -> (200, L+1)
    allowed = (grammar[ids[:, :-2]] == ids[:, 2:, None]).any(-1)  # (200, 12, 3) == (200, 12, 1) -> (200, 12)
    return allowed.all(1).double().mean().item()
