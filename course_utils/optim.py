"""Optimisers and the schedule of the learning rate: AdamW, and Muon with matrices of one shape updated together.

``torch.optim.Muon`` takes one matrix after the other, always multiplies in bfloat16, and reads its learning rate as a
Python number, which a CUDA graph cannot capture. The update is the same (a test compares them step by step).
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable
from typing import Any

import torch
from torch import Tensor, nn

from course_utils.config import TrainConfig
from course_utils.device import pick_dtype

NEWTON_SCHULZ = (3.4445, -4.7750, 2.0315)  # Jordan et al. 2024: five rounds bring singular values to about 0.7 .. 1.2
LARGE = 128  # smaller side of a matrix from which bfloat16 is faster, on a CPU that multiplies it


class Muon(torch.optim.Optimizer):
    """Nesterov momentum whose update has all singular values about 1 (Jordan et al. 2024, "Muon", algorithm 2).

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
    """UVᵀ, approximately, for every matrix UΣVᵀ of (n, A, B): five Newton-Schulz rounds.

    S is the smaller of A and B, L the larger.
    """
    a, b, c = NEWTON_SCHULZ
    tall = matrices.shape[1] > matrices.shape[2]
    x = matrices.mT if tall else matrices  # (n, A, B) -> (n, S, L)
    dtype = product_format(matrices)
    x = x if dtype == torch.float16 else x.to(dtype)  # float16 would lose small gradients: it comes after the norm
    x = (x / x.norm(dim=(1, 2), keepdim=True).clamp(min=1e-7)).to(dtype)
    for _ in range(5):
        gram = x @ x.mT  # (n, S, L) @ (n, L, S) -> (n, S, S)
        x = torch.baddbmm(x, torch.baddbmm(gram, gram, gram, beta=b, alpha=c), x, beta=a)
    return x.mT if tall else x  # (n, S, L) -> (n, A, B)


def product_format(matrices: Tensor) -> torch.dtype:
    """The number format in which (n, A, B) are multiplied fastest; each is precise enough for Muon.

    A processor without bfloat16 emulates it, twenty times slower than float32 (benchmarks/LOG.md); one that has it is
    still slower with it for matrices below LARGE. COURSE_DTYPE sets the format of larger ones.
    """
    small = matrices.device.type == "cpu" and min(matrices.shape[1:]) < LARGE
    return torch.float32 if small else pick_dtype(matrices.device)


def make_optimizers(model: nn.Module, config: TrainConfig, *, graph: bool = False) -> list[torch.optim.Optimizer]:
    """AdamW for everything, or Muon for the matrices inside `model.blocks` and AdamW for the rest.

    Muon makes all singular values of an update about equal, which suits maps between hidden spaces, not tables such as
    embeddings (Jordan et al. 2024). Biases and norms are not decayed. With `graph` the rates are tensors, which a CUDA
    graph reads at every replay.
    """
    named = [(n, p) for n, p in model.named_parameters() if p.requires_grad]
    hidden = [p for n, p in named if config.muon_lr is not None and n.startswith("blocks.") and p.ndim == 2]
    rest = [p for _, p in named if not any(p is h for h in hidden)]
    groups = [
        {"params": [p for p in rest if p.ndim >= 2], "weight_decay": config.weight_decay},
        {"params": [p for p in rest if p.ndim < 2], "weight_decay": 0.0},
    ]
    captured = {"capturable": True, "fused": True} if graph and rest[0].is_cuda else {}
    optimizers: list[torch.optim.Optimizer] = [torch.optim.AdamW(groups, lr=config.lr, betas=config.betas, **captured)]
    if hidden:
        optimizers.append(Muon(hidden, lr=config.muon_lr or 0.0, weight_decay=config.weight_decay))
    for optimizer in optimizers:
        for group in optimizer.param_groups:
            group["top_lr"] = group["lr"]
            group["lr"] = torch.tensor(group["lr"], device=rest[0].device) if graph else group["lr"]
    return optimizers


def set_learning_rates(optimizers: Iterable[torch.optim.Optimizer], scale: float) -> None:
    """Give every group of parameters `scale` times its top learning rate."""
    for optimizer in optimizers:
        for group in optimizer.param_groups:
            rate = group["top_lr"] * scale
            group["lr"] = group["lr"].fill_(rate) if isinstance(group["lr"], Tensor) else rate


def lr_scale(step: int, total: int, config: TrainConfig) -> float:
    """The share of the top learning rate at a step, 0 <= step < total: linear warm-up, then the schedule to `final`."""
    warm = config.warmup * total
    if step < warm:
        return (step + 1) / math.ceil(warm)
    if config.schedule == "constant":
        return 1.0
    way = (step - warm) / max(total - warm, 1.0)  # 0 .. 1
    left = 1 - way if config.schedule == "linear" else (1 + math.cos(math.pi * way)) / 2
    return config.final + (1 - config.final) * left
