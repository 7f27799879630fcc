"""Device, precision and distributed set-up of a training.

A module that trains asks for an `Engine` and calls `autocast`, `backward`, `clip` and `step`. In float32 these are the plain
operations; in bfloat16 or float16 they convert and scale. `torchrun --nproc-per-node N …` makes N processes share every
batch; `COURSE_GRAPH=1` replays a GPU's training step as one CUDA graph, `COURSE_COMPILE=1` compiles the blocks,
`COURSE_DTYPE=fp32` (bf16, fp16) sets the number format where the program leaves it open.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.attention import SDPBackend, sdpa_kernel

from course_utils.device import pick_device, pick_dtype
from course_utils.engine.graph import Captured, Step
from course_utils.engine.processes import ProcessGroup, join_process_group


@dataclass
class Engine:
    """Device and number format of one training. Weights and optimiser stay in float32, matrix products use `dtype`."""

    device: torch.device
    dtype: torch.dtype = torch.float32
    processes: ProcessGroup = field(default_factory=ProcessGroup)
    graph: bool = False  # replay the step as a CUDA graph
    compile: bool = False  # compile each block; the seconds it takes count as training
    scaler: torch.amp.GradScaler = field(init=False)

    def __post_init__(self) -> None:
        # float16 underflows below 6e-8: the loss is multiplied up, the gradients divided again (Micikevicius et al. 2018)
        self.scaler = torch.amp.GradScaler(self.device.type, enabled=self.dtype == torch.float16)

    def prepare(self, model: nn.Module) -> None:
        """Move the model to the device, in training mode; several processes start from the weights of the first."""
        model.to(self.device).train()
        self.processes.broadcast_state(model)
        for block in getattr(model, "blocks", ()) if self.compile else ():
            block.compile()

    def autocast(self) -> AbstractContextManager[Any]:
        """A context in which matrix products run in `dtype`."""
        stack = ExitStack()
        if self.dtype != torch.float32:
            stack.enter_context(torch.autocast(self.device.type, self.dtype))
        if self.device.type == "cpu" and self.dtype == torch.bfloat16:
            stack.enter_context(sdpa_kernel(SDPBackend.MATH))  # the fused kernel's backward pass is 3 times slower here
        return stack

    def backward(self, loss: Tensor) -> None:
        """Compute the gradients of the loss () into `.grad`, scaled up in float16."""
        self.scaler.scale(loss).backward()

    def clip(
        self, optimizers: Iterable[torch.optim.Optimizer], parameters: Iterable[nn.Parameter], norm: float
    ) -> None:
        """Sum the gradients over all processes, undo float16's scale, and clip their common norm to `norm`."""
        parameters = list(parameters)
        self.processes.sum_gradients(parameters)
        for optimizer in optimizers:
            self.scaler.unscale_(optimizer)
        nn.utils.clip_grad_norm_(parameters, norm)

    def step(self, optimizers: Iterable[torch.optim.Optimizer]) -> None:
        """Make a step of every optimiser; in float16 a step with an overflow is skipped."""
        for optimizer in optimizers:
            self.scaler.step(optimizer)
        self.scaler.update()

    def capture(self, step: Step, rows: int, widest: int, pad: int) -> Step:
        """The step as CUDA graphs if `graph` is set, else unchanged; see `Captured`."""
        return Captured(step, self.device, rows, widest, pad) if self.graph else step


def pick_engine(device: str | torch.device = "auto", dtype: str = "auto") -> Engine:
    """The Engine for a device ("auto", "cpu", "cuda", "cuda:1" …) and a number format ("auto", "fp32", "bf16", "fp16").

    "auto" takes a GPU if there is one, with bfloat16 from compute capability 8.0 up (older GPUs emulate it slowly) and
    float16 below; else the CPU, with bfloat16 where the CPU has instructions for it, which halves the time of a step, and
    float32 otherwise. Raises CourseError for what this machine lacks.
    """
    place, processes = pick_device(device), join_process_group()
    if place.type == "cuda" and place.index is None and processes.size > 1:
        place = torch.device("cuda", int(os.environ.get("LOCAL_RANK", "0")))
        torch.cuda.set_device(place)
    chosen = pick_dtype(place, dtype)
    # not captured: float16 (each step reads whether the scaled loss overflowed) and several processes (they wait for messages)
    graph = os.environ.get("COURSE_GRAPH") == "1" and chosen != torch.float16 and processes.size == 1
    return Engine(place, chosen, processes, graph, os.environ.get("COURSE_COMPILE") == "1")
