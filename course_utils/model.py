"""The GPT: a decoder-only Transformer with learned positions and pre-norm blocks (Radford et al. 2018, 2019).

Letters used throughout: B sequences, T tokens each, D = n_embd, V = vocab_size.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from course_utils.attention import attention_class
from course_utils.config import ModelConfig
from course_utils.errors import CourseError

PAD_ID = 0  # the id of PAD in every Vocabulary


class Block(nn.Module):
    """x + attention(norm(x)), then x + mlp(norm(x)); the norm stands before each branch (Xiong et al. 2020)."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        D = config.n_embd
        self.norm1, self.norm2 = nn.LayerNorm(D), nn.LayerNorm(D)
        self.attention = attention_class(config.attention)(config)
        self.mlp = nn.Sequential(nn.Linear(D, 4 * D), nn.GELU(), nn.Linear(4 * D, D))
        self.drop = nn.Dropout(config.dropout)

    def forward(self, x: Tensor) -> Tensor:
        """x (B, T, D) -> (B, T, D)."""
        x = x + self.drop(self.attention(self.norm1(x)))
        change: Tensor = self.drop(self.mlp(self.norm2(x)))
        return x + change

    def decode_step(self, x: Tensor, cache: object, at: Tensor) -> Tensor:
        """What `forward` gives for the positions `at` (n,) alone, x (B, n, D): earlier ones are in the cache. No dropout."""
        x = x + self.attention.decode_step(self.norm1(x), cache, at)  # type: ignore[operator]
        change: Tensor = self.mlp(self.norm2(x))
        return x + change


class GPT(nn.Module):
    """Token ids to next-token logits. `config.attention` names the attention; `config.position="none"`: no positions."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        if config.vocab_size < 1:
            raise CourseError("A model needs the size of its vocabulary: ModelConfig(vocab_size=len(vocab), ...).")
        self.config = config
        self.token = nn.Embedding(config.vocab_size, config.n_embd)
        self.position = nn.Embedding(config.block_size, config.n_embd) if config.position == "learned" else None
        self.drop = nn.Dropout(config.dropout)
        self.blocks = nn.ModuleList(Block(config) for _ in range(config.n_layer))
        self.norm = nn.LayerNorm(config.n_embd)
        self.head = nn.Linear(config.n_embd, config.vocab_size, bias=False)
        self.apply(_initialise)

    def forward(self, ids: Tensor) -> Tensor:
        """ids (B, T) of int64, T <= block_size -> logits (B, T, V); logits[:, t] predict the token at t+1."""
        if ids.shape[1] > self.config.block_size:
            raise CourseError(
                f"The input is {ids.shape[1]} tokens long, this model reads {self.config.block_size}; shorten it."
            )
        x = self.embed(ids, torch.arange(ids.shape[1], device=ids.device))
        for block in self.blocks:
            x = block(x)
        logits: Tensor = self.head(self.norm(x))  # (B, T, D) -> (B, T, V)
        return logits

    def embed(self, ids: Tensor, at: Tensor) -> Tensor:
        """ids (B, n) at the positions `at` (n,), each below the block size -> (B, n, D)."""
        x = self.token(ids)
        if self.position is not None:
            x = x + self.position(at)  # (B, n, D) + (n, D)
        embedded: Tensor = self.drop(x)
        return embedded

    def n_params(self) -> int:
        """Number of trained parameters."""
        return sum(p.numel() for p in self.parameters())


def _initialise(module: nn.Module) -> None:
    """Normal weights of standard deviation 0.02 and zero biases in all linear maps and embeddings, a variant's own ones too.

    Norms, and parameters that stand in no such layer, keep their values. GPT-2 begins much alike, but makes the weights
    before each residual sum smaller, by 1 / sqrt(number of sums) (Radford et al. 2019, section 2.3).
    """
    if isinstance(module, nn.Linear | nn.Embedding):
        nn.init.normal_(module.weight, std=0.02)
    if isinstance(module, nn.Linear) and module.bias is not None:
        nn.init.zeros_(module.bias)


def loss(logits: Tensor, targets: Tensor, pad: int = PAD_ID) -> Tensor:
    """Mean cross-entropy in nats per token that is not `pad`: logits (B, T, V), targets (B, T) -> (); 0 if all are pad.

    A nat is the unit of natural logarithms. Sum and count are separate, so that padding alone gives 0 and not NaN.
    """
    flat_logits = logits.float().flatten(0, 1)  # (B, T, V) -> (B*T, V)
    total = F.cross_entropy(flat_logits, targets.flatten(), ignore_index=pad, reduction="sum")  # (B, T) -> (B*T,)
    return total / targets.ne(pad).sum().clamp(min=1)


@contextmanager
def evaluating(model: nn.Module) -> Iterator[None]:
    """The model in evaluation mode; afterwards, also after an error, each of its modules is in its own former mode."""
    modes = [(module, module.training) for module in model.modules()]
    model.eval()
    try:
        yield
    finally:
        for module, mode in modes:
            module.training = mode  # not train(mode), which sets the modules inside too


@torch.no_grad()
def mean_loss(model: nn.Module, X: Tensor, Y: Tensor, pad: int = PAD_ID) -> float:
    """The loss of a whole set, X and Y (N, T), in evaluation mode; afterwards each module is in its former mode."""
    with evaluating(model):
        sums = [loss(model(x), y, pad) * y.ne(pad).sum() for x, y in zip(X.split(64), Y.split(64), strict=True)]
    return float(torch.stack(sums).sum() / Y.ne(pad).sum().clamp(min=1))
