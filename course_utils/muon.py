"""Muon with matrices of one shape orthogonalised together, and a learning rate that may live on the device.

``torch.optim.Muon`` takes one matrix after the other and reads its learning rate as a Python number, which cannot be
captured in a CUDA graph, and always multiplies bfloat16. The update is the same (a test compares them step by step).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import Any

import torch
from torch import Tensor

from course_utils.runtime import pick_dtype

NEWTON_SCHULZ = (3.4445, -4.7750, 2.0315)  # steep at zero: five rounds bring all singular values to 0.7 .. 1.2
LARGE = 128  # rows or columns, the fewer of the two, from which 16 bits pay on a CPU that can multiply them


class Muon(torch.optim.Optimizer):
    """Momentum whose update has all singular values about 1 (Jordan et al. 2024, "Muon", algorithm 2), Nesterov's way.

    Args:
        params: matrices (A, B).
        lr: number, or a tensor () on the device of the matrices; a matrix taller than wide gets sqrt(A/B) times as much.
        weight_decay: as in AdamW, decoupled from the gradient.
        momentum: share of the past in the running mean of gradients.
    """

    def __init__(
        self, params: Iterable[Tensor], lr: float | Tensor, weight_decay: float = 0.1, momentum: float = 0.95
    ) -> None:
        super().__init__(params, {"lr": lr, "weight_decay": weight_decay, "momentum": momentum})

    @torch.no_grad()
    def step(self, closure: Any = None) -> None:  # type: ignore[override]
        """Change every matrix that has a gradient; nothing is read back from the device."""
        for group in self.param_groups:
            by_shape: dict[torch.Size, list[Tensor]] = defaultdict(list)
            for p in group["params"]:
                if p.grad is not None:
                    by_shape[p.shape].append(p)
            for shape, matrices in by_shape.items():
                self._move(matrices, shape, group)

    def _move(self, matrices: list[Tensor], shape: torch.Size, group: dict[str, Any]) -> None:
        """One step of n matrices of one shape (A, B)."""
        for p in matrices:
            if "momentum_buffer" not in self.state[p]:
                self.state[p]["momentum_buffer"] = torch.zeros_like(p)
        past = [self.state[p]["momentum_buffer"] for p in matrices]
        gradients = [p.grad for p in matrices if p.grad is not None]
        torch._foreach_lerp_(past, gradients, 1 - group["momentum"])
        ahead = torch._foreach_lerp(gradients, past, group["momentum"])
        update = orthogonalise(torch.stack(ahead))  # n of (A, B) -> (n, A, B)
        rate = group["lr"] * max(1.0, shape[0] / shape[1]) ** 0.5
        torch._foreach_mul_(matrices, 1 - group["lr"] * group["weight_decay"])
        torch._foreach_sub_(matrices, list((update.float() * rate).unbind()))  # (n, A, B) -> n of (A, B)


def orthogonalise(matrices: Tensor) -> Tensor:
    """UVᵀ, nearly, for every matrix UΣVᵀ of (n, A, B): five Newton-Schulz rounds on the smaller side."""
    a, b, c = NEWTON_SCHULZ
    tall = matrices.shape[1] > matrices.shape[2]
    x = matrices.mT if tall else matrices  # (n, A, B) -> (n, B, A)
    dtype = product_format(matrices)
    x = x if dtype == torch.float16 else x.to(dtype)  # float16 would lose small gradients: it comes after the norm
    x = (x / x.norm(dim=(1, 2), keepdim=True).clamp(min=1e-7)).to(dtype)
    for _ in range(5):
        gram = x @ x.mT  # (n, A, B) @ (n, B, A) -> (n, A, A)
        x = torch.baddbmm(x, torch.baddbmm(gram, gram, gram, beta=b, alpha=c), x, beta=a)
    return x.mT if tall else x


def product_format(matrices: Tensor) -> torch.dtype:
    """The number format in which (n, A, B) are multiplied fastest; what Muon needs, any of them gives.

    A processor without bfloat16 imitates it twenty times slower than it multiplies float32 (benchmarks/LOG.md); one that
    has it still loses time with matrices below LARGE. COURSE_DTYPE overrules the choice for larger ones.
    """
    small = matrices.device.type == "cpu" and min(matrices.shape[1:]) < LARGE
    return torch.float32 if small else pick_dtype(matrices.device)
