"""Where and in what format numbers are computed: device, number format, seeds, threads, random state."""

from __future__ import annotations

import os
import random
from typing import Any

import numpy as np
import torch

from course_utils.errors import CourseError

DTYPES = {"fp32": torch.float32, "bf16": torch.bfloat16, "fp16": torch.float16}


def pick_dtype(place: torch.device, dtype: str = "auto") -> torch.dtype:
    """The number format that the program or COURSE_DTYPE asks for, else the fastest suitable one on this device.

    Raises CourseError for an unknown format, or float16 on a CPU.
    """
    if dtype == "auto":
        dtype = os.environ.get("COURSE_DTYPE", "auto")
    if dtype != "auto" and dtype not in DTYPES:
        raise CourseError(f"There is no number format {dtype!r}; choose auto, {', '.join(DTYPES)}.")
    if dtype == "fp16" and place.type == "cpu":
        raise CourseError("float16 does not train on a CPU; choose fp32 or bf16.")
    if dtype != "auto":
        return DTYPES[dtype]
    if place.type == "cuda":
        return torch.bfloat16 if torch.cuda.get_device_capability(place) >= (8, 0) else torch.float16
    return torch.bfloat16 if place.type == "cpu" and cpu_bf16_pays() else torch.float32


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
    """Whether this CPU has instructions for bfloat16 (AVX512-BF16 or AMX), which make products 2-4 times faster.

    The processor's features decide, not a measurement: timings vary, and a resumed training must use the same format.
    With these instructions a step took half the time at both sizes of the course (benchmarks/LOG.md).
    """
    probes = [getattr(torch.cpu, name, None) for name in ("_is_avx512_bf16_supported", "_is_amx_tile_supported")]
    return any(probe() for probe in probes if probe is not None)


def seed_everything(seed: int) -> None:
    """Seed Python, NumPy and torch (all devices); datasets have generators of their own."""
    random.seed(seed)
    np.random.seed(seed % 2**32)
    torch.manual_seed(seed)


def set_threads(count: int | None = None) -> int:
    """Limit torch to `count` CPU threads (default: OMP_NUM_THREADS, else all cores); return the number now in use."""
    asked = count or int(os.environ.get("OMP_NUM_THREADS", "0") or 0) or (os.cpu_count() or 1)
    torch.set_num_threads(asked)
    return torch.get_num_threads()


def random_state() -> dict[str, Any]:
    """The states of torch's generators, from which dropout draws, as tensors."""
    return {"cpu": torch.get_rng_state(), "cuda": torch.cuda.get_rng_state_all() if torch.cuda.is_available() else []}


def restore_random_state(state: dict[str, Any]) -> None:
    """The inverse of `random_state`; GPU generators only where the number of GPUs is the same."""
    torch.set_rng_state(state["cpu"].cpu())
    if torch.cuda.is_available() and len(state["cuda"]) == torch.cuda.device_count():
        torch.cuda.set_rng_state_all([s.cpu() for s in state["cuda"]])


def background_workers(items: int) -> int:
    """Number of background processes that make `items` items ahead: none for few items or on one core."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return 0 if items < 20_000 or cores < 2 else min(cores, 4)
