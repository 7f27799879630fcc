"""Measurements of notebook 04: what a training step stores and computes, and how long it takes on one core.

The formulas are the student's exercise. Sizes: B sequences of T tokens, width D, L layers, H heads, V symbols.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from itertools import accumulate
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.overrides import TorchFunctionMode
from torch.profiler import ProfilerActivity, profile
from torch.utils.flop_counter import FlopCounterMode

from course_utils.config import ModelConfig
from course_utils.model import GPT, Block, loss

os.environ.setdefault("KINETO_LOG_LEVEL", "99")  # else the profiler prints a line at every start and stop

WITH_WEIGHTS = ("aten::mm", "aten::addmm")
IN_ATTENTION = ("aten::bmm", "aten::_scaled_dot_product_flash_attention_for_cpu")
"""Operations that multiply matrices, as the profiler names them: with weights, and in attention (their backward passes, too)."""


@contextmanager
def explicit_attention() -> Iterator[None]:
    """A context in which PyTorch computes scores, softmax and weighted sum separately and stores the weights (B, H, T, T).

    Outside it PyTorch uses a fused kernel, which stores no weights and computes them again in the backward pass.
    """
    with sdpa_kernel(SDPBackend.MATH):
        yield


def small_gpt(V: int, D: int, L: int, H: int, T: int, seed: int = 0) -> GPT:
    """A fresh GPT of these sizes, without dropout, weights drawn from ``seed``."""
    with torch.random.fork_rng(devices=[]):
        torch.default_generator.manual_seed(seed)
        return GPT(ModelConfig(vocab_size=V, block_size=T, n_layer=L, n_head=H, n_embd=D))


def random_ids(model: GPT, B: int) -> Tensor:
    """Token ids (B, T) for the model; none is PAD (0)."""
    config = model.config
    return torch.randint(1, config.vocab_size, (B, config.block_size), generator=torch.Generator().manual_seed(0))


def forward_loss(model: GPT, ids: Tensor) -> Tensor:
    """The loss () of predicting each of ids (B, T) from its predecessor, the first from the last: only sizes matter."""
    return loss(model(ids), ids.roll(-1, 1))


def saved_bytes(model: GPT, ids: Tensor) -> int:
    """Bytes that the forward pass of one loss keeps for the backward pass; parameters and ids are not counted.

    Memory that several operations keep is counted once.
    """
    kept: dict[int, Tensor] = {}  # the tensors themselves, so that no address is used again during the count

    def note(tensor: Tensor) -> Tensor:
        memory = tensor.detach()  # an operation that keeps its own output would otherwise never be freed
        kept.setdefault(memory.untyped_storage().data_ptr(), memory)
        return memory

    with torch.autograd.graph.saved_tensors_hooks(note, lambda tensor: tensor):
        forward_loss(model, ids)
    for given in (*model.parameters(), ids):
        kept.pop(given.untyped_storage().data_ptr(), None)
    return sum(tensor.untyped_storage().nbytes() for tensor in kept.values() if tensor.is_floating_point())


def training_step(model: GPT, optimiser: torch.optim.Optimizer, ids: Tensor) -> None:
    """Make one step: forward, backward, update; the gradients are freed at the end."""
    forward_loss(model, ids).backward()
    optimiser.step()
    optimiser.zero_grad(set_to_none=True)


def memory_curve(action: Callable[[], Any], least: int = 0) -> list[int]:
    """Bytes in use on the CPU after every allocation and release while ``action`` runs, counted from 0 at its start.

    Changes by fewer than ``least`` bytes add no entry to the list; their bytes are counted.
    """
    with profile(activities=[ProfilerActivity.CPU], profile_memory=True) as record:
        action()
    events = record.profiler.kineto_results.events()  # type: ignore[union-attr]
    changes = sorted((event.start_ns(), event.nbytes()) for event in events if event.name() == "[memory]")
    totals = accumulate(change for _, change in changes)
    return [0, *(total for total, (_, change) in zip(totals, changes, strict=True) if abs(change) >= least)]


def step_memory(model: GPT, ids: Tensor) -> list[int]:
    """:func:`memory_curve` of an AdamW step after a first one, which is not recorded and allocates the moments."""
    optimiser = torch.optim.AdamW(model.parameters())
    training_step(model, optimiser, ids[:1])
    return memory_curve(lambda: training_step(model, optimiser, ids), least=100_000)


def counted_flops(model: GPT, ids: Tensor) -> int:
    """FLOPs of forward and backward pass as PyTorch counts them: matrix products only, a multiply-add as two."""
    flops = action_flops(lambda: forward_loss(model, ids).backward())
    model.zero_grad(set_to_none=True)
    return flops


def action_flops(action: Callable[[], Any]) -> int:
    """FLOPs of an action as PyTorch counts them: matrix products only, a multiply-add as two."""
    with explicit_attention(), FlopCounterMode(display=False) as counter:
        action()
    return counter.get_total_flops()


def product_weights(model: nn.Module) -> int:
    """Number of weights in a matrix product for every token: the matrices of all linear layers."""
    return sum(m.weight.numel() for m in model.modules() if isinstance(m, nn.Linear))


def cpu_seconds(actions: Sequence[Callable[[], Any]], tries: int = 5) -> list[float]:
    """The least CPU time of each action, in seconds, over ``tries`` rounds in which they take turns.

    The minimum of CPU time depends least on other work of the machine.
    """
    least = [float("inf")] * len(actions)
    for _ in range(tries + 1):
        for i, action in enumerate(actions):
            begin = time.process_time()
            action()
            least[i] = min(least[i], time.process_time() - begin)
    return least


def matmul_rate(n: int = 512) -> float:
    """FLOP per CPU second of one large product, (n, n) times (n, n): about the peak rate of the machine."""
    a, b = torch.randn(n, n), torch.randn(n, n)
    return 2 * n**3 / cpu_seconds([lambda: a @ b])[0]


def block_action(D: int, H: int, B: int, T: int) -> Callable[[], None]:
    """Forward and backward pass of one Transformer block over B sequences of T tokens."""
    block = Block(ModelConfig(vocab_size=1, block_size=T, n_head=H, n_embd=D))
    x = torch.randn(B, T, D, requires_grad=True)
    return lambda: block(x).sum().backward()


def step_action(model: GPT, B: int) -> Callable[[], None]:
    """A whole training step of the model with AdamW on a batch of B sequences."""
    ids, optimiser = random_ids(model, B), torch.optim.AdamW(model.parameters())
    return lambda: training_step(model, optimiser, ids)


def product_shares(action: Callable[[], Any], tries: int = 3) -> tuple[float, float]:
    """The shares of an action's time, 0 to 1, in products with weights and in those of attention, as the profiler has them.

    For each operation the minimum of several tries counts, because other work can interrupt any of them.
    """
    least: dict[str, float] = {}
    for _ in range(tries):
        with profile(activities=[ProfilerActivity.CPU]) as record:
            action()
        for row in record.key_averages():
            least[row.key] = min(least.get(row.key, float("inf")), row.self_cpu_time_total)
    linear, attention = (
        sum(t for name, t in least.items() if name.removesuffix("_backward") in kind) / sum(least.values())
        for kind in (WITH_WEIGHTS, IN_ATTENTION)
    )
    return linear, attention


class Undrawn(TorchFunctionMode):
    """A context in which the functions of ``torch.nn.init`` leave their tensors alone.

    For modules on the device ``"meta"``, which has no values: PyTorch would load its compiler to draw them, for 1.6 seconds.
    """

    def __torch_function__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Call the function, or return the tensor that it would have filled."""
        if getattr(function, "__module__", "") == "torch.nn.init":
            return args[0] if args else kwargs["tensor"]
        return function(*args, **(kwargs or {}))


def encoder_parts(V: int, D: int, L: int, H: int, C: int, device: str = "cpu") -> nn.ModuleDict:
    """The parts of notebook 05's model: an embedding, L encoder layers (feed-forward width D), a head with C outputs.

    Positions are computed, not learned. On the device ``"meta"`` a model has shapes but no values, so any size is possible.
    """
    with Undrawn() if device == "meta" else nullcontext():
        layer = nn.TransformerEncoderLayer(D, H, dim_feedforward=D, batch_first=True, device=device)
        return nn.ModuleDict(
            {
                "embedding": nn.Embedding(V, D, device=device),
                "encoder": nn.TransformerEncoder(layer, L, enable_nested_tensor=False),
                "head": nn.Linear(D, C, device=device),
            }
        )


def numel(module: nn.Module) -> int:
    """Number of trained parameters of a module."""
    return sum(p.numel() for p in module.parameters())
