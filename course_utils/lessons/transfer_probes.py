"""Probes for the checks of notebook 05: tiny models whose right outputs are known."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor, nn

from course_utils.checks.fetch import fetches
from course_utils.lessons.transfer import Batch


class Shell(nn.Module):
    """A base (embedding, encoder) and a head, as in the notebook, for weights only: it has no forward pass."""

    def __init__(self, n_tokens: int, n_classes: int, d_model: int, n_heads: int, n_layers: int, d_ff: int) -> None:
        super().__init__()
        self.base = nn.Module()
        self.base.embedding = nn.Embedding(n_tokens, d_model)
        layer = nn.TransformerEncoderLayer(d_model, n_heads, d_ff, 0.1, batch_first=True, norm_first=True)
        self.base.encoder = nn.TransformerEncoder(layer, n_layers, enable_nested_tensor=False)
        self.head = nn.Linear(d_model, n_classes)


class Bigram(nn.Module):
    """A small network whose output at a position depends on the token there only; in training mode the output is halved.

    Args:
        table: (V, V), its initial weights: logits of the next token given this one.
    """

    def __init__(self, table: Tensor) -> None:
        super().__init__()
        self.table = nn.Parameter(table.clone())

    def forward(self, x: Tensor) -> Tensor:
        """(B, T) -> (B, T, V)."""
        return self.table[x] * (0.5 if self.training else 1.0)  # replaces dropout, but deterministic


class Contrary(nn.Module):
    """The negated input in training mode, the input in evaluation: a part of a model with a mode of its own, as dropout is."""

    def forward(self, logits: Tensor) -> Tensor:
        """Any shape -> the same."""
        return -logits if self.training else logits


@fetches("a model whose outputs the judge knows must stand where the student's functions use it")
class Writer(nn.Module):
    """A language model with known outputs: logits = table[last token] + mean of bias over all tokens so far.

    In training mode the logits are negated.
    """

    def __init__(self, table: Tensor, bias: Tensor) -> None:
        super().__init__()
        self.table, self.bias = nn.Parameter(table.clone()), nn.Parameter(bias.clone())
        self.contrary, self.longest = Contrary(), 0

    def forward(self, x: Tensor) -> Tensor:
        """(B, T) -> (B, T, V)."""
        self.longest = max(self.longest, x.shape[1])
        counts = torch.arange(1, x.shape[1] + 1)[:, None]
        return self.contrary(self.table[x] + self.bias[x].cumsum(1) / counts)  # (B, T, V)


@fetches("a model whose outputs the judge knows must stand where the student's functions use it")
class Judge(nn.Module):
    """A classifier of vectors, ids (B, T) as float times a matrix (T, C); in training mode the logits are negated."""

    def __init__(self, matrix: Tensor) -> None:
        super().__init__()
        self.matrix = nn.Parameter(matrix.clone())
        self.contrary = Contrary()

    def forward(self, x: Tensor) -> Tensor:
        """(B, T) -> (B, C)."""
        return self.contrary(x.float() @ self.matrix)  # (B, T) @ (T, C) -> (B, C)


@fetches("the weights that one epoch of the student's training leaves; the judge compares them with its own")
def one_epoch(
    train_epoch: Callable[..., float], loss_fn: Callable[[Tensor, Tensor], Tensor], table: Tensor,
    epoch: Sequence[Batch], lr: float, clip: float, start: bool,  # noqa: FBT001 (checks of version 0.1 pass it by place)
) -> dict[str, Any]:  # fmt: skip
    """Let ``train_epoch`` train a Bigram by SGD with momentum, from training mode if ``start``; return loss, table, output.

    ``output`` is the model's output for the first batch afterwards, in the mode in which ``train_epoch`` left it.
    Before the call the parameters hold an old gradient, as after an earlier backward pass.
    """
    model = Bigram(table).train(start)
    model.table.grad = torch.full_like(table, 0.05)
    optimizer = torch.optim.SGD(model.parameters(), lr=lr, momentum=0.5)
    loss = train_epoch(model, optimizer, epoch, loss_fn, clip)
    with torch.no_grad():
        output = model(epoch[0][0])
    return {"loss": loss, "table": model.table.detach().clone(), "output": output}


@fetches("shapes alone, of a model whose weights are too many for a message")
def shapes(model: nn.Module) -> dict[str, tuple[list[int], bool]]:
    """Shape of every parameter by name, and whether it requires a gradient."""
    return {name: (list(p.shape), p.requires_grad) for name, p in model.named_parameters()}


def count_trained(found: Mapping[str, tuple[Sequence[int], bool]]) -> int:
    """Number of trained parameters in a model of these :func:`shapes`."""
    return sum(math.prod(shape) for shape, trained in found.values() if trained)
