"""The engine room: which device, which number format, how many processes, and how to stop. Nothing else knows.

A page that trains or decodes asks for an `Engine` and calls `autocast`, `backward` and `step`; on a CPU these are what
their names say, on a GPU they choose bfloat16 or scaled float16. `torchrun --nproc-per-node N …` makes N processes share
every batch; `COURSE_GRAPH=1` replays a GPU's training step as one CUDA graph, `COURSE_COMPILE=1` compiles the blocks,
`COURSE_DTYPE=fp32` (bf16, fp16) overrules the choice of number format where the program leaves it open.
"""

from __future__ import annotations

import math
import os
import random
import signal
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
import torch.distributed as dist
from torch import Tensor, nn
from torch.nn.attention import SDPBackend, sdpa_kernel

from course_utils.errors import CourseError

if TYPE_CHECKING:
    from course_utils.config import Profile
    from course_utils.preflight import Forecast

DTYPES = {"fp32": torch.float32, "bf16": torch.bfloat16, "fp16": torch.float16}


Step = Callable[[Tensor, Tensor], Tensor]  # a batch x, y (B, T) -> its loss ()
WARM_UP = 2  # ordinary steps of a shape before it is captured: libraries and optimisers make their buffers in them
BUCKET = 32  # captured widths are multiples of it: one graph for each, and at most this much padding


@dataclass(frozen=True)
class Team:
    """The processes that share every batch; alone unless started by torchrun."""

    rank: int = 0
    size: int = 1

    def share(self, rows: Tensor) -> Tensor:
        """This process's part of a batch, (B, T) -> (b, T)."""
        return rows[self.rank :: self.size]

    def total(self, value: Tensor) -> Tensor:
        """The sum of a tensor over all processes."""
        if self.size > 1:
            value = value.clone()
            dist.all_reduce(value)
        return value

    def add_gradients(self, parameters: Iterable[Tensor]) -> None:
        """Replace every gradient by its sum over all processes; one message for all of them."""
        gradients = [p.grad for p in parameters if p.grad is not None] if self.size > 1 else []
        if gradients:
            flat = self.total(torch.cat([g.flatten() for g in gradients]))
            for g, summed in zip(gradients, flat.split([g.numel() for g in gradients]), strict=True):
                g.copy_(summed.view_as(g))

    def agree(self, wish: bool) -> bool:
        """Whether any of the processes wishes it; asked on the CPU, so that no GPU has to wait."""
        return bool(self.total(torch.tensor(int(wish)))) if self.size > 1 else wish

    def gather(self, mine: Any) -> list[Any]:
        """What each process has, by rank."""
        everybodys = [mine] * self.size
        if self.size > 1:
            dist.all_gather_object(everybodys, mine)
        return everybodys


def join_team() -> Team:
    """The team that torchrun started this process in, or a team of one."""
    size = int(os.environ.get("WORLD_SIZE", "1"))
    if size == 1:
        return Team()
    if not dist.is_initialized():
        dist.init_process_group("cpu:gloo,cuda:nccl" if torch.cuda.is_available() else "gloo")
    return Team(dist.get_rank(), size)


@dataclass
class Engine:
    """Device and number format of one training run. Weights and optimiser stay in float32, products use `dtype`."""

    device: torch.device
    dtype: torch.dtype = torch.float32
    team: Team = field(default_factory=Team)
    graph: bool = False  # replay the step as a CUDA graph
    compile: bool = False  # compile each block; the seconds it takes count as training
    scaler: torch.amp.GradScaler = field(init=False)

    def __post_init__(self) -> None:
        # float16 underflows below 6e-8: the loss is multiplied up, the gradients divided again (Micikevicius et al. 2018)
        self.scaler = torch.amp.GradScaler(self.device.type, enabled=self.dtype == torch.float16)

    def prepare(self, model: nn.Module) -> None:
        """Bring the model to the device in training mode; a team starts from the weights of its first process."""
        model.to(self.device).train()
        if self.team.size > 1:
            for t in model.state_dict().values():
                dist.broadcast(t, 0)
            torch.manual_seed(torch.initial_seed() + self.team.rank)  # dropout: other rows, other draws
        for block in getattr(model, "blocks", ()) if self.compile else ():
            block.compile()

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
        self.team.add_gradients(parameters)
        for optimizer in optimizers:
            self.scaler.unscale_(optimizer)
        nn.utils.clip_grad_norm_(parameters, clip)
        for optimizer in optimizers:
            self.scaler.step(optimizer)
            optimizer.zero_grad(set_to_none=True)
        self.scaler.update()

    def capture(self, step: Step, rows: int, widest: int, pad: int) -> Step:
        """The step as CUDA graphs if this engine wants them, else as it is; see `Captured`."""
        return Captured(step, self.device, rows, widest, pad) if self.graph else step


class Captured:
    """A training step replayed as one CUDA graph per width of the batch: one launch instead of about a thousand.

    A graph repeats the same kernels on the same memory. So a batch is padded to `rows` rows and to the next multiple of
    BUCKET columns (at most `widest`; padding carries no loss) and copied to where the graph reads. The step must not ask
    the device for a number. On a CPU the same code runs the step itself in place of the graph, which is how it is tested;
    on a GPU it has not been run yet.
    """

    def __init__(self, step: Step, device: torch.device, rows: int, widest: int, pad: int) -> None:
        self.step, self.device, self.rows, self.widest, self.pad = step, device, rows, widest, pad
        self.places: dict[int, list[Tensor]] = {}
        self.seen: dict[int, int] = {}
        self.replays: dict[int, Callable[[], Tensor]] = {}

    def __call__(self, x: Tensor, y: Tensor) -> Tensor:
        """One step on x, y (b, t), b <= rows, t <= widest; the loss ()."""
        width = min(math.ceil(x.shape[1] / BUCKET) * BUCKET, self.widest)
        if width not in self.places:
            self.places[width] = [torch.empty(self.rows, width, dtype=x.dtype, device=self.device) for _ in "xy"]
        for place, given in zip(self.places[width], (x, y), strict=True):
            place.fill_(self.pad)
            place[: given.shape[0], : given.shape[1]] = given  # (b, t) -> (rows, width)
        self.seen[width] = self.seen.get(width, 0) + 1
        if self.seen[width] <= WARM_UP:
            return self._aside(width)
        if width not in self.replays:
            self.replays[width] = self._record(width)
        return self.replays[width]().clone()  # the next replay writes over it

    def _aside(self, width: int) -> Tensor:
        """An ordinary step, on a GPU in a stream of its own, as capture asks for."""
        if self.device.type != "cuda":
            return self.step(*self.places[width])
        stream = torch.cuda.Stream(self.device)
        stream.wait_stream(torch.cuda.current_stream(self.device))
        with torch.cuda.stream(stream):
            value = self.step(*self.places[width])
        torch.cuda.current_stream(self.device).wait_stream(stream)
        return value

    def _record(self, width: int) -> Callable[[], Tensor]:
        """What replays the step at this width. Recording runs nothing, so no step is made twice."""
        if self.device.type != "cuda":
            return lambda: self.step(*self.places[width])
        graph = torch.cuda.CUDAGraph()
        try:
            with torch.cuda.graph(graph):
                value = self.step(*self.places[width])
        except RuntimeError as error:
            raise CourseError(f"The step cannot be captured as a CUDA graph ({error}); unset COURSE_GRAPH.") from None

        def replay() -> Tensor:
            graph.replay()
            return value

        return replay


def pick_engine(device: str | torch.device = "auto", dtype: str = "auto") -> Engine:
    """The Engine for a device ("auto", "cpu", "cuda", "cuda:1" …) and a number format ("auto", "fp32", "bf16", "fp16").

    "auto" takes a GPU if there is one; there bfloat16 from compute capability 8.0 up (older GPUs only imitate it,
    slowly) and float16 below; on a CPU bfloat16 where the CPU multiplies it itself, which halves the time of a step, else
    float32. Raises CourseError for what this machine lacks.
    """
    place, team = pick_device(device), join_team()
    if place.type == "cuda" and place.index is None and team.size > 1:
        place = torch.device("cuda", int(os.environ.get("LOCAL_RANK", "0")))
        torch.cuda.set_device(place)
    chosen = pick_dtype(place, dtype)
    # float16 scales its loss and asks every step whether that went well; a team waits for messages: neither is captured
    graph = os.environ.get("COURSE_GRAPH") == "1" and chosen != torch.float16 and team.size == 1
    return Engine(place, chosen, team, graph, os.environ.get("COURSE_COMPILE") == "1")


def pick_dtype(place: torch.device, dtype: str = "auto") -> torch.dtype:
    """The number format asked for, by the program or by COURSE_DTYPE, or the one that pays on this device.

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
    """Whether this CPU multiplies bfloat16 by itself (AVX512-BF16 or AMX), which makes products 2-4 times faster.

    Asked of the processor and not measured: a noisy second must not change the numbers of a training that resumes. Where
    the processor can, a step took half the time at both sizes of the course (benchmarks/LOG.md).
    """
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


def preflight(
    profile: Profile, lengths: dict[str, Iterable[int]], vocab_size: int = 256, seconds: float = 10.0
) -> dict[str, Forecast]:
    """Minutes and memory that the profile's trainings will take here; see `course_utils.preflight.preflight`."""
    from course_utils.preflight import preflight as measure  # here: it trains, and training needs this module

    return measure(profile, lengths, vocab_size, seconds=seconds)
