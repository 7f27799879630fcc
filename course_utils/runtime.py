"""The engine room: which device, which number format, how many threads, and how to stop. Nothing else knows.

A page that trains or decodes asks for an `Engine` and calls `autocast`, `backward` and `step`; on a CPU these are what
their names say, on a GPU they choose bfloat16 or scaled float16.
"""

from __future__ import annotations

import os
import random
import signal
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.attention import SDPBackend, sdpa_kernel

from course_utils.errors import CourseError

DTYPES = {"fp32": torch.float32, "bf16": torch.bfloat16, "fp16": torch.float16}


@dataclass
class Engine:
    """Device and number format of one training run. Weights and optimiser stay in float32, products use `dtype`."""

    device: torch.device
    dtype: torch.dtype = torch.float32
    scaler: torch.amp.GradScaler = field(init=False)

    def __post_init__(self) -> None:
        # float16 underflows below 6e-8: the loss is multiplied up, the gradients divided again (Micikevicius et al. 2018)
        self.scaler = torch.amp.GradScaler(self.device.type, enabled=self.dtype == torch.float16)

    def autocast(self) -> AbstractContextManager[Any]:
        """Matrix products inside run in `dtype`."""
        stack = ExitStack()
        if self.dtype != torch.float32:
            stack.enter_context(torch.autocast(self.device.type, self.dtype))
        if self.device.type == "cpu" and self.dtype == torch.bfloat16:
            stack.enter_context(sdpa_kernel(SDPBackend.MATH))  # the fused kernel's backward pass is 3 times slower here
        return stack

    def backward(self, loss: Tensor) -> None:
        """Gradients of the loss () into `.grad`, scaled up in float16."""
        self.scaler.scale(loss).backward()

    def step(self, optimizers: Iterable[torch.optim.Optimizer], parameters: list[nn.Parameter], clip: float) -> None:
        """Clip the norm of the whole gradient, let every optimiser step, clear the gradients."""
        optimizers = list(optimizers)
        for optimizer in optimizers:
            self.scaler.unscale_(optimizer)
        nn.utils.clip_grad_norm_(parameters, clip)
        for optimizer in optimizers:
            self.scaler.step(optimizer)
            optimizer.zero_grad(set_to_none=True)
        self.scaler.update()


def pick_engine(device: str | torch.device = "auto", dtype: str = "auto") -> Engine:
    """The Engine for a device ("auto", "cpu", "cuda", "cuda:1" …) and a number format ("auto", "fp32", "bf16", "fp16").

    "auto" takes a GPU if there is one; there bfloat16 from compute capability 8.0 up (older GPUs only imitate it,
    slowly) and float16 below; on a CPU bfloat16 where the CPU multiplies it itself, which halves the time of a step, else
    float32. Raises CourseError for what this machine lacks.
    """
    place = pick_device(device)
    if dtype != "auto" and dtype not in DTYPES:
        raise CourseError(f"There is no number format {dtype!r}; choose auto, {', '.join(DTYPES)}.")
    if dtype == "fp16" and place.type == "cpu":
        raise CourseError("float16 does not train on a CPU; choose fp32 or bf16.")
    if dtype != "auto":
        return Engine(place, DTYPES[dtype])
    if place.type == "cuda":
        return Engine(place, torch.bfloat16 if torch.cuda.get_device_capability(place) >= (8, 0) else torch.float16)
    return Engine(place, torch.bfloat16 if place.type == "cpu" and cpu_bf16_pays() else torch.float32)


def pick_device(name: str | torch.device = "auto") -> torch.device:
    """A torch device that exists here; "auto" is a GPU if there is one."""
    if str(name) == "auto":
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    try:
        device = torch.device(name)
        torch.empty(1, device=device)
    except (RuntimeError, AssertionError):
        raise CourseError(f"The device {str(name)!r} does not exist on this machine; use cpu, or auto.") from None
    return device


def cpu_bf16_pays() -> bool:
    """Whether this CPU multiplies bfloat16 by itself (AVX512-BF16 or AMX), which makes products 2-4 times faster."""
    probes = [getattr(torch.cpu, name, None) for name in ("_is_avx512_bf16_supported", "_is_amx_tile_supported")]
    return any(probe() for probe in probes if probe is not None)


def seed_everything(seed: int) -> None:
    """Seed Python, NumPy and torch (all devices); datasets have generators of their own."""
    random.seed(seed)
    np.random.seed(seed % 2**32)
    torch.manual_seed(seed)


def set_threads(count: int | None = None) -> int:
    """Limit torch to `count` CPU threads (default: OMP_NUM_THREADS, else all cores); returns the number in force."""
    asked = count or int(os.environ.get("OMP_NUM_THREADS", "0") or 0) or (os.cpu_count() or 1)
    torch.set_num_threads(asked)
    return torch.get_num_threads()


def random_state() -> dict[str, Any]:
    """torch's generators as tensors: what dropout draws from."""
    return {"cpu": torch.get_rng_state(), "cuda": torch.cuda.get_rng_state_all() if torch.cuda.is_available() else []}


def restore_random_state(state: dict[str, Any]) -> None:
    """The inverse of `random_state`; GPU generators only where the number of GPUs is the same."""
    torch.set_rng_state(state["cpu"].cpu())
    if torch.cuda.is_available() and len(state["cuda"]) == torch.cuda.device_count():
        torch.cuda.set_rng_state_all([s.cpu() for s in state["cuda"]])


@contextmanager
def stop_signal() -> Iterator[Callable[[], bool]]:
    """Inside, Ctrl-C, a notebook's stop button and SIGTERM only raise a flag; a second one interrupts at once.

    Yields the function that asks for the flag. A training loop asks between two steps, because an interrupt in the
    middle of one leaves half of the weights updated. Outside the main thread nothing is changed (Python's rule).
    """
    asked = threading.Event()
    if threading.current_thread() is not threading.main_thread():
        yield asked.is_set
        return

    def on_signal(number: int, frame: Any) -> None:
        if asked.is_set():
            raise KeyboardInterrupt
        asked.set()

    before = {number: signal.signal(number, on_signal) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield asked.is_set
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def background_workers(items: int) -> int:
    """How many background processes should make `items` items ahead: none if few, or if there is no second core."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return 0 if items < 20_000 or cores < 2 else min(cores, 4)
