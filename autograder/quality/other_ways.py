"""The oracle itself, computed in other right ways: what a student may write whose arithmetic rounds elsewhere.

While :class:`Otherwise` is on, functions of torch that an answer is made of give the same numbers by other steps. An oracle
that then breaks its own promise asks for more than the number type can keep.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor
from torch.overrides import TorchFunctionMode

Table = Mapping[Callable[..., Any], Callable[..., Any]]


def softmax(x: Tensor, dim: int, dtype: torch.dtype | None = None, **_: Any) -> Tensor:
    """Shares as exp(x - logsumexp(x)); a row of -inf alone gives 0 where torch gives NaN."""
    x = x if dtype is None else x.to(dtype)
    total = torch.logsumexp(x, dim, keepdim=True)
    return torch.where(total == -torch.inf, torch.full_like(x, torch.nan), (x - total).exp())


def log_softmax(x: Tensor, dim: int, dtype: torch.dtype | None = None, **_: Any) -> Tensor:
    """Logarithms of shares as x - logsumexp(x)."""
    x = x if dtype is None else x.to(dtype)
    return x - torch.logsumexp(x, dim, keepdim=True)


def linear(x: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """A linear map with its products added from the last to the first."""
    y = torch.einsum("...i,oi->...o", x.flip(-1), weight.flip(-1))  # (..., in) -> (..., out)
    return y if bias is None else y + bias


def matmul(a: Tensor, b: Tensor) -> Tensor:
    """A product of matrices or vectors with its sums taken from the last to the first."""
    return torch.matmul(a.flip(-1), b.flip(-2 if b.dim() > 1 else 0))


def layer_norm(
    x: Tensor, shape: Any, weight: Tensor | None = None, bias: Tensor | None = None, eps: float = 1e-5
) -> Tensor:
    """Layer normalisation by hand, over as many last axes as ``shape`` has."""
    axes = tuple(range(-len(shape), 0))
    centred = x - x.mean(axes, keepdim=True)
    y = centred / ((centred**2).mean(axes, keepdim=True) + eps).sqrt()
    y = y if weight is None else y * weight
    return y if bias is None else y + bias


def logsumexp(x: Tensor, dim: int, keepdim: bool = False) -> Tensor:  # noqa: FBT001, FBT002 (as torch has it)
    """The logarithm of the sum of exponentials, with the largest one taken out by hand."""
    top = x.amax(dim, keepdim=True)
    top = torch.where(top.isfinite(), top, torch.zeros_like(top))
    found = (x - top).exp().sum(dim, keepdim=True).log() + top
    return found if keepdim else found.squeeze(dim)


SHARES: Table = {
    torch.softmax: softmax, F.softmax: softmax, Tensor.softmax: softmax,
    torch.log_softmax: log_softmax, F.log_softmax: log_softmax, Tensor.log_softmax: log_softmax,
}  # fmt: skip
SUMS: Table = {
    F.linear: linear, torch.matmul: matmul, Tensor.matmul: matmul, Tensor.__matmul__: matmul,
    F.layer_norm: layer_norm, torch.logsumexp: logsumexp, Tensor.logsumexp: logsumexp,
}  # fmt: skip
ALIKE = {"05_transfer/transfer": "the course trains the model, by the same steps for the oracle and for an answer"}
WAYS: Mapping[str, Table] = {
    "the oracle with shares from logarithms": SHARES,
    "the oracle with sums in another order": SUMS,
}


class Otherwise(TorchFunctionMode):
    """While it is on, the functions of a table are computed as the table says.

    Attributes:
        count: how many were.
    """

    def __init__(self, table: Table) -> None:
        super().__init__()
        self.table, self.count = table, 0

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Call the other way, if there is one."""
        other = self.table.get(func)
        self.count += other is not None
        return (other or func)(*args, **(kwargs or {}))
