"""Computed costs of models up to 7 billion parameters: `python -m benchmarks.speed.scaling` writes docs/scaling.md.

They follow from a few numbers of one GPU and from published rules, each with its source; nothing here was run.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass

from benchmarks.paths import ROOT
from benchmarks.speed.measure import model_flops_per_token
from course_utils.engine.files import write_atomically

DOC = ROOT / "docs" / "scaling.md"
CEILING = 790e12  # bf16 FLOP/s that matrix products reach on one H200 (measured; the data sheet says 989)
MEMORY = 141e9  # bytes on an H200
LINK = 450e9  # bytes/s in each direction to the other GPUs of a node (NVLink 4)
MFU = 0.40  # share of the ceiling in training; PaLM reports 0.46 of its peak (Chowdhery et al. 2022)
STATE = 16  # bytes per parameter: bf16 weights and gradients, fp32 weights and two moments (Rajbhandari et al. 2020)
TOKENS = 20  # training tokens per parameter (Hoffmann et al. 2022)
DAY = 86400


@dataclass(frozen=True)
class Model:
    """Sizes after GPT-2 (Radford et al. 2019) and GPT-3 (Brown et al. 2020, table 2.1); the head shares the token table."""

    name: str
    n_layer: int
    n_embd: int
    block: int
    batch: float  # tokens per step
    vocab: int = 50257

    @property
    def matrices(self) -> int:
        """Parameters of the blocks: 12·L·d²."""
        return 12 * self.n_layer * self.n_embd**2

    @property
    def n_params(self) -> int:
        """All parameters, biases and norms left out."""
        return self.matrices + (self.vocab + self.block) * self.n_embd

    @property
    def tokens(self) -> float:
        """Tokens of one training."""
        return TOKENS * self.n_params

    @property
    def flops(self) -> float:
        """Floating point operations of one training; the head is a matrix product, the look-up of tokens is not."""
        used = self.matrices + self.vocab * self.n_embd
        return self.tokens * model_flops_per_token(used, self.n_layer, self.block, self.n_embd)

    @property
    def days(self) -> float:
        """Days on one GPU."""
        return self.flops / (MFU * CEILING) / DAY

    @property
    def state(self) -> float:
        """Bytes of weights, gradients and optimiser."""
        return STATE * self.n_params

    @property
    def sequence(self) -> float:
        """Bytes that one sequence stores for the backward pass with fused attention, bf16: 34·T·d per layer
        (Korthikanti et al. 2022), and its logits in fp32 with their gradient."""
        return 34 * self.block * self.n_embd * self.n_layer + 8 * self.block * self.vocab

    def gpus(self) -> int:
        """The fewest GPUs that hold the state, sharded over them (ZeRO stage 3), and one sequence each."""
        count = 1
        while self.state / count + self.sequence > 0.9 * MEMORY:
            count += 1
        return count

    def talk(self, gpus: int = 8) -> float:
        """Share of a step that a ring all-reduce of bf16 gradients would take on `gpus` GPUs, not overlapped with work."""
        message = 2 * self.n_params * 2 * (gpus - 1) / gpus / LINK
        work = self.batch / self.tokens * self.flops / (MFU * CEILING) / gpus
        return message / (message + work)


MODELS = (
    Model("124 M", 12, 768, 1024, 0.5e6),
    Model("350 M", 24, 1024, 1024, 0.5e6),
    Model("1.3 B", 24, 2048, 2048, 1e6),
    Model("7 B", 32, 4096, 2048, 2e6),
)


def table() -> str:
    """One row per model."""
    rows = [
        "| model | parameters | tokens | FLOP | one H200 | eight | state | a sequence | GPUs at least | all-reduce, of a step |",
        "|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for m in MODELS:
        days = [f"{d:.1f} days" if d >= 1 else f"{24 * d:.1f} h" for d in (m.days, m.days / 8 / (1 - m.talk()))]
        rows.append(
            f"| {m.name} | {m.n_params / 1e6:,.0f} M | {m.tokens / 1e9:.1f} G | {m.flops:.1e} | {days[0]} | {days[1]} | "
            f"{m.state / 1e9:.0f} GB | {m.sequence / 1e9:.1f} GB | {m.gpus()} | {m.talk():.1%} |"
        )
    return "\n".join(rows)


def document() -> str:
    """The text of docs/scaling.md."""
    return f"""# From 3 million to 7 billion parameters: computed costs

Written by `python -m benchmarks.speed.scaling` from the numbers of one GPU; **nothing here was run**. Assumed: an H200
with {CEILING / 1e12:.0f} TFLOP/s in bf16 matrix products, {MEMORY / 1e9:.0f} GB, {LINK / 1e9:.0f} GB/s to other GPUs of its node;
{MFU:.0%} of that speed in training; {TOKENS} tokens per parameter; {STATE} bytes of state per parameter. The sources
of these rules are given with the constants in `benchmarks/speed/scaling.py`.

{table()}

What changes with the size, and what does not:

- **The training step is the same code.** Large runs have the loss, backward pass, clipping, optimiser, schedule and
  resuming of `course_utils/train.py` too. Data parallelism with `torchrun` (`course_utils/engine/`) is enough while
  one GPU holds the state: without difficulty up to 1.3 B, and at 7 B with one sequence at a time.
- **At this course's size** starting the GPU's kernels takes longer than running them. So a step captured as one CUDA
  graph should be faster, and several seeds can share a GPU. From 124 M on a step is long enough that neither matters.
- **Memory is the first limit.** At 7 B the state takes {MODELS[-1].state / MEMORY:.0%} of a GPU: shard it (ZeRO,
  `torch.distributed.fsdp`), keep only the inputs of each block and compute the rest again, or both.
- **Communication is the last limit.** The last column is the cost of an all-reduce of all gradients without overlap;
  during the backward pass it costs almost nothing. Between nodes the link is about ten times slower.
- **Muon** orthogonalises whole matrices: with sharded weights each must be gathered first, or kept whole on one GPU.
- **The course's speed-ups at these sizes**: trimming and sorting by length gain nothing (texts are packed); bf16 and
  fused attention are necessary; the key–value cache gains as much as here.
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Write the document."""
    argparse.ArgumentParser(prog="python -m benchmarks.speed.scaling", description=__doc__.splitlines()[0]).parse_args(
        argv
    )
    write_atomically(DOC, document())
    print(table())
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
