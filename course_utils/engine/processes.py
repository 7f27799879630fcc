"""The processes that share every batch of a training (data parallelism, started by torchrun)."""

from __future__ import annotations

import atexit
import os
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import torch
import torch.distributed as dist
from torch import Tensor, nn


@dataclass(frozen=True)
class ProcessGroup:
    """The processes that share every batch; a group of one unless started by torchrun."""

    rank: int = 0
    size: int = 1

    def shard(self, rows: Tensor) -> Tensor:
        """This process's part of a batch."""
        return rows[self.rank :: self.size]  # (B, T) -> (b, T)

    def sum(self, value: Tensor) -> Tensor:
        """The sum of a tensor over all processes."""
        if self.size > 1:
            value = value.clone()
            dist.all_reduce(value)
        return value

    def sum_gradients(self, parameters: Iterable[Tensor]) -> None:
        """Replace every gradient by its sum over all processes; one message for all of them."""
        gradients = [p.grad for p in parameters if p.grad is not None] if self.size > 1 else []
        if gradients:
            flat = self.sum(torch.cat([g.flatten() for g in gradients]))  # all gradients in one row
            for g, summed in zip(gradients, flat.split([g.numel() for g in gradients]), strict=True):
                g.copy_(summed.view_as(g))  # (numel,) -> the shape of g

    def any(self, wish: bool) -> bool:  # noqa: FBT001 (the value itself)
        """Whether `wish` is true in any process; exchanged on the CPU, so that no GPU has to wait."""
        return bool(self.sum(torch.tensor(int(wish)))) if self.size > 1 else wish

    def gather(self, mine: Any) -> list[Any]:
        """The objects of all processes, by rank."""
        by_rank = [mine] * self.size
        if self.size > 1:
            dist.all_gather_object(by_rank, mine)
        return by_rank

    def broadcast_state(self, model: nn.Module) -> None:
        """Give every process the weights of the first, and other random draws (dropout) than the others'."""
        if self.size > 1:
            for t in model.state_dict().values():
                dist.broadcast(t, 0)
            torch.manual_seed(torch.initial_seed() + self.rank)


def join_process_group() -> ProcessGroup:
    """The group that torchrun started this process in, or a group of one."""
    size = int(os.environ.get("WORLD_SIZE", "1"))
    if size == 1:
        return ProcessGroup()
    if not dist.is_initialized():
        dist.init_process_group("cpu:gloo,cuda:nccl" if torch.cuda.is_available() else "gloo")
        atexit.register(leave_process_group)
    return ProcessGroup(dist.get_rank(), size)


def leave_process_group() -> None:
    """End the group's threads while Python still runs; a thread that is alive at the end aborts the process."""
    if dist.is_initialized():
        dist.destroy_process_group()
