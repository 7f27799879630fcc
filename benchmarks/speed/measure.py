"""Timing on a machine whose speed varies: contenders take turns in one process, and ratios are taken within a round."""

from __future__ import annotations

import gc
import math
import platform
import resource
import statistics
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import torch


@dataclass(frozen=True)
class Timing:
    """Seconds of one contender, one number per round."""

    samples: tuple[float, ...]

    @property
    def median(self) -> float:
        """The median in seconds, which is reported."""
        return statistics.median(self.samples)

    def to_json(self) -> dict[str, Any]:
        """Median and range in seconds."""
        return {"median_s": self.median, "min_s": min(self.samples), "max_s": max(self.samples), "n": len(self.samples)}


def synchronize(device: torch.device) -> None:
    """Wait for the device; else only the time to queue a GPU's work would be measured."""
    if device.type == "cuda":
        torch.cuda.synchronize(device)


def interleave(
    contenders: Mapping[str, Callable[[], Any]],
    rounds: int,
    device: torch.device,
    each: Callable[[], Any] = lambda: None,
) -> dict[str, Timing]:
    """Run every contender once per round, in turn; at least three rounds, so that a range can be given.

    Raises:
        ValueError: fewer than three rounds.
    """
    if rounds < 3:
        raise ValueError("at least three rounds, or there is no range to quote")
    samples: dict[str, list[float]] = {name: [] for name in contenders}
    for _ in range(rounds):
        for name, run in contenders.items():
            gc.collect()
            synchronize(device)
            start = time.perf_counter()
            run()
            synchronize(device)
            samples[name].append(time.perf_counter() - start)
            each()
    return {name: Timing(tuple(values)) for name, values in samples.items()}


def ratio(slow: Timing, fast: Timing) -> dict[str, float]:
    """How many times faster, round by round: the median of the ratios and their range."""
    pairs = [a / b for a, b in zip(slow.samples, fast.samples, strict=True)]
    return {"median": statistics.median(pairs), "min": min(pairs), "max": max(pairs)}


def matmul_ceiling(device: torch.device, dtype: torch.dtype, size: int = 1024, repeats: int = 10) -> float:
    """FLOP/s of a square matrix product on random numbers, the reference for shares of peak speed."""
    if device.type == "cuda":
        size = 8192
    a, b = (torch.randn(size, size, device=device).to(dtype) for _ in range(2))
    for _ in range(3):
        a @ b
    synchronize(device)
    start = time.perf_counter()
    for _ in range(repeats):
        a @ b
    synchronize(device)
    return 2 * size**3 * repeats / (time.perf_counter() - start)


def busy_seconds(run: Callable[[], Any], device: torch.device) -> tuple[float, dict[str, float]]:
    """Seconds in which the GPU computes or copies during ``run``, and those of the ten kernels that take most.

    They come from the profiler. It slows the CPU down and not the kernels, so that they are divided by the seconds of a run
    without it. Spans that overlap count once in the whole.
    """
    from torch.autograd import DeviceType
    from torch.profiler import ProfilerActivity, profile

    with profile(activities=[ProfilerActivity.CUDA]) as found:
        run()
        synchronize(device)
    on_gpu = [
        e
        for e in found.events() or ()
        if e.device_type == DeviceType.CUDA and not getattr(e, "is_user_annotation", False) and "#" not in e.name
    ]
    spans = sorted((e.time_range.start, e.time_range.end) for e in on_gpu)  # in microseconds
    each: Counter[str] = Counter()
    for e in on_gpu:
        each[e.name[:100]] += e.time_range.end - e.time_range.start
    return covered(spans) / 1e6, {name: took / 1e6 for name, took in each.most_common(10)}


def covered(spans: Sequence[tuple[float, float]]) -> float:
    """The length that spans (start, end), sorted by their start, cover together."""
    total, reached = 0.0, -math.inf
    for start, end in spans:
        total += max(0.0, end - max(start, reached))
        reached = max(reached, end)
    return total


def model_flops_per_token(n_params: int, n_layer: int, block: int, n_embd: int) -> float:
    """Floating point operations of forward and backward pass per token: 6N + 12·L·d·T.

    Each parameter is multiplied and added once forward and twice backward (6N); scores and weighted values cost
    2·2·T·d more per layer, times three (Chowdhery et al. 2022, PaLM, appendix B). As is usual, nothing is subtracted
    for the causal mask.

    Args:
        n_params: N, parameters that take part in matrix products.
        n_layer: L.
        block: T, tokens per sequence.
        n_embd: d, width of the model.
    """
    return 6.0 * n_params + 12.0 * n_layer * n_embd * block


def peak_memory(device: torch.device) -> float:
    """Peak memory in MiB: of the allocator on a GPU, else the largest resident size of this process so far.

    On Linux it is VmHWM. `getrusage` is not used there: for a child it begins with its parent's peak.
    """
    if device.type == "cuda":
        return torch.cuda.max_memory_allocated(device) / 2**20
    status = Path("/proc/self/status")
    lines = status.read_text(encoding="utf-8").splitlines() if status.is_file() else []
    kib = [int(line.split()[1]) for line in lines if line.startswith("VmHWM:")]
    return (kib[0] if kib else resource.getrusage(resource.RUSAGE_SELF).ru_maxrss) / 1024


def machine(device: torch.device) -> dict[str, Any]:
    """The description of the machine for a result: device, threads, versions, date."""
    name = torch.cuda.get_device_name(device) if device.type == "cuda" else _processor()
    return {
        "device": name,
        "threads": torch.get_num_threads(),
        "torch": torch.__version__,
        "python": platform.python_version(),
        "date": datetime.now(UTC).date().isoformat(),
    }


def _processor() -> str:
    """The processor's model name and cores, if the system provides them."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.is_file() else []
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return f"{names[0] if names else platform.processor() or platform.machine()} ({len(names) or 1} cores)"
