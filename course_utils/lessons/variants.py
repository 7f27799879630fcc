"""Helpers of notebook 08: register an attention, run one with given weights, train, time, and print the table."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import torch
from torch import Tensor, nn

from course_utils.attention import register_attention
from course_utils.checks.answers import load_module
from course_utils.checks.asking import built, require_each
from course_utils.checks.compare import CheckFailed, require_finite
from course_utils.checks.draws import Case
from course_utils.checks.fetch import fetches, slopes
from course_utils.checks.span_corruption import draws, first_violation, through
from course_utils.config import ModelConfig, TrainConfig
from course_utils.device import seed_everything
from course_utils.engine.engine import pick_engine
from course_utils.engine.epochs import ItemDataset
from course_utils.errors import CourseError
from course_utils.lessons.knowledge import plain_text
from course_utils.metrics import mean_interval
from course_utils.model import GPT
from course_utils.train import train
from course_utils.vocab import Vocabulary

PASSES = 8000  # a mean of values in -2 .. 2 is then 0.08 off with probability below 1e-10 (Bernstein)
VARIANTS = ("vanilla", "synthesizer", "rope", "perceiver")


def registered(name: str) -> Callable[[type[nn.Module]], type[nn.Module]]:
    """A class decorator that registers the class: ``ModelConfig(attention=name)`` then uses it."""
    return lambda cls: register_attention(name, cls)


class Projections(nn.Module):
    """Queries, keys, values and output of a self-attention in H heads, without the attention itself.

    Attributes:
        query, key, value, proj: linear layers D -> D.
    """

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.n_head, self.dropout = config.n_head, config.dropout
        self.query, self.key, self.value, self.proj = (nn.Linear(config.n_embd, config.n_embd) for _ in range(4))

    def split(self, x: Tensor) -> Tensor:
        """(B, T, D) -> (B, H, T, d): head h gets columns h*d .. (h+1)*d - 1."""
        batch, length, width = x.shape
        apart = x.reshape(batch, length, self.n_head, width // self.n_head)  # (B, T, D) -> (B, T, H, d)
        return apart.transpose(1, 2)  # (B, T, H, d) -> (B, H, T, d)

    def merge(self, y: Tensor) -> Tensor:
        """Join the heads and project: (B, H, T, d) -> (B, T, D)."""
        joined = y.transpose(1, 2).flatten(2)  # (B, T, H, d) -> (B, T, D)
        return self.proj(joined)


def random_weights(shapes: Mapping[str, Sequence[int]], rng: torch.Generator, dtype: torch.dtype) -> dict[str, Tensor]:
    """Random weights by name: matrices of variance 2.25/columns, vectors N(0.3, 0.5²), so that no bias is 0 and no gain 1."""
    drawn = {}
    for name, shape in shapes.items():
        noise = torch.randn(*shape, generator=rng, dtype=dtype)
        drawn[name] = 0.3 + 0.5 * noise if len(shape) == 1 else noise * 1.5 / shape[-1] ** 0.5
    return drawn


@fetches("outputs and gradients of the student's module under weights that the judge drew")
def forward_backward(
    cls: type[nn.Module], args: Sequence[Any], weights: Mapping[str, Tensor], x: Tensor, g: Tensor | None = None
) -> tuple[Tensor, dict[str, Tensor]]:
    """Output of ``cls(*args)`` with these weights on x, in evaluation mode, and the gradients of sum(g * output).

    g has the output's shape; without it there are no gradients. Raises CourseError if the parameters have other names.
    """
    module = cls(*args).to(x.dtype).eval()
    own = {name for name, _ in module.named_parameters()}
    if own != set(weights):
        odd = min(own ^ set(weights))
        raise CourseError(f"the parameters must be those that __init__ makes; {odd} is missing or new.")
    module.load_state_dict(dict(weights), strict=False)  # buffers keep what the class gives them
    y = module(x)
    if g is None:
        return y.detach(), {}
    (y * g).sum().backward()
    return y.detach(), {n: torch.zeros_like(p) if p.grad is None else p.grad for n, p in module.named_parameters()}


def dot_products(case: Case, value: Any) -> Tensor:
    """Dot products (batch, H, T, T) of the queries and keys that ``parameter_keys`` answered for hidden (batch, H, T, d).

    Raises CheckFailed when they have other forms than the text says.
    """
    batch, heads, length, _ = case.args[0].shape
    q, k = value
    if q.shape[-2] != length or k.shape[-2] != length:
        raise CheckFailed(
            f"q has {q.shape[-2]} and k has {k.shape[-2]} rows in each head, where the text has {length} tokens"
        )
    if q.shape[-1] != k.shape[-1] or q.dtype != k.dtype:
        raise CheckFailed("q and k need one width and one number type, or there is no dot product of the two")
    if q.shape[:-2] != (batch, heads) or k.dim() < 3:
        raise CheckFailed("q must have the shape (batch, H, T, width), and k the same or (H, T, width)")
    return (q @ k.mT).broadcast_to(batch, heads, length, length)  # (batch, H, T, e) @ (H, e, T)


def slopes_of_products(student: Any, case: Case, name: str, kind: str = "", inner: bool = False) -> Any:  # noqa: FBT001, FBT002 (options stand in a file by place)
    """Gradients of a mixture of these dot products with respect to the function's arguments; options as of ``slopes``."""
    tool = student.tool("course_utils.lessons.variants.product_slopes")
    found = tool(getattr(student, name), list(case.args), kind, inner)
    return require_each(found, range(len(case.args)))


def to_what_is_open(case: Case, value: Any) -> Any:
    """These gradients, with 0 where ``hidden`` is 0: the ReLU that it came from passes nothing on there."""
    hidden = case.args[0]

    def kept(slopes: Any) -> Any:
        first = slopes[0] if type(slopes) is list and slopes else None
        if not isinstance(first, Tensor) or first.shape != hidden.shape:
            return slopes
        return [first.masked_fill(hidden == 0, 0.0), *slopes[1:]]

    if type(value) is not dict or type(value.get("alone")) is not list:
        return value
    alone = [*kept(value["alone"][:1]), *value["alone"][1:]]
    return {"together": kept(value.get("together")), "alone": alone}


@fetches("gradients can only be computed where the graph is")
def product_slopes(
    function: Callable[..., Any],
    arguments: Sequence[Tensor],
    kind: str = "",
    inner: bool = False,  # noqa: FBT001, FBT002 (checks pass it by place)
) -> list[Any]:
    """Gradients of a fixed mixture of q·k with respect to the arguments; None for each where the products depend on none."""

    def products(*given: Tensor) -> Tensor:
        q, k = function(*given)
        return (q @ k.mT).expand(*q.shape[:-1], -1)

    return slopes(products, arguments, range(len(arguments)), kind, inner)


def apart_in_evaluation(student: Any, case: Case, name: str) -> Any:
    """The largest difference between two passes over one text in evaluation mode."""
    made = built(student, case, name, training=False)
    one, two = made(*case.args), made(*case.args)
    return float((one - two).detach().abs().max()) if isinstance(one, Tensor) and one.numel() else one


def mean_in_training(student: Any, case: Case, name: str) -> Any:
    """The mean (T, D) over many passes in training mode over a text (1, T, D)."""
    passes = built(student, case, name, training=True)(case.args[0].repeat(PASSES, 1, 1))
    return passes.mean(0) if isinstance(passes, Tensor) else passes


def ratios_in_training(student: Any, case: Case, name: str) -> Any:
    """By what lone tokens (B, 1, D) are multiplied in training: all numbers once, and whether a head has only one each.

    The weights of values and output projection are the identity.
    """
    heads, x = case.setup["sizes"][0].n_head, case.args[0]
    got = built(student, case, name, training=True)(x)
    if not isinstance(got, Tensor) or got.shape != x.shape:
        raise CheckFailed("the output must have the shape of the input, (B, T, D)")
    require_finite(got)
    ratio = (got / x).unflatten(-1, (heads, -1))  # (B, 1, D) -> (B, 1, H, d)
    return [
        sorted({round(number, 6) for number in ratio.flatten().tolist()}),
        bool((ratio - ratio[..., :1]).abs().max() < 1e-6),
    ]


def weights_dropped(case: Case, value: Any) -> bool:
    """True where these ratios are those of dropout on attention weights, or of none. Raises CheckFailed for others."""
    found, whole_heads = value
    if found == [1.0] or (whole_heads and found == [0.0, round(1 / (1 - case.setup["sizes"][0].dropout), 6)]):
        return True
    raise CheckFailed("in training a lone token's weight, 1, becomes 0 or 1/(1 - p) for a whole head, or it stays 1")


def in_a_gpt(student: Any, case: Case, name: str) -> Any:
    """Whether the GPT of a case's configuration is made with the student's class, and its logits under the case's weights."""
    return student.tool("course_utils.lessons.variant_probes.logits_of")(getattr(student, name), *case.args)[:2]


# ----------------------------------------------------------------------------------------------------- trainings


def corruption_from_notebook_07(work: Path) -> Any:
    """The student's ``CharCorruptionDataset`` from notebook 07, if it is saved and passes its check; else None."""
    path = Path(work).parent / "07_knowledge" / "my_answers.py"
    if not path.is_file():
        return None
    import random

    try:
        cls = load_module(path).CharCorruptionDataset
        ok = first_violation(through(SimpleNamespace(CharCorruptionDataset=cls, draws=draws)), random.Random(8)) is None
    except Exception:  # an incorrect answer may fail in any way: then plain text is used
        return None
    return cls if ok else None


def pretraining_source(work: Path, wiki: Sequence[str], vocab: Vocabulary, block_size: int, config: TrainConfig) -> Any:
    """The data for pretraining: the wiki with notebook 07's span corruption if that is saved and right, else plain text.

    With the profiles' finetuning a model answers fewer questions after plain text: see notebook 07's controls.
    """
    dataset: Callable[..., ItemDataset] | None = corruption_from_notebook_07(work)
    if dataset is not None:
        print("Pretraining on the wiki with your span corruption of notebook 07.")
        return dataset(list(wiki), vocab, block_size)
    print("Pretraining on the wiki as plain text (no right span corruption of notebook 07 was found).")
    per_epoch = -(-len(wiki) // config.batch_size)
    return iter(plain_text(wiki, vocab, block_size, config.epochs or -(-(config.steps or 1) // per_epoch)))


def try_out(name: str, wiki: Sequence[str], vocab: Vocabulary, steps: int = 60, seed: int = 0) -> list[float]:
    """Losses in nats per character of a tiny GPT with the attention of this name, trained on plain text for some steps."""
    from course_utils.attention import attention_class

    seed_everything(seed)
    position = getattr(attention_class(name), "position", "learned")
    model = GPT(ModelConfig(len(vocab), 64, 1, 2, 32, attention=name, position=position))
    source = plain_text(wiki, vocab, 64, 1 + 32 * steps // len(wiki))
    config = TrainConfig(batch_size=32, steps=steps, lr=5e-3, muon_lr=0.02, seed=seed)
    return train(model, iter(source), config, progress=False, engine=pick_engine("cpu", "fp32")).loss


def seconds_of(module: nn.Module, x: Tensor, repeats: int = 5) -> float:
    """Shortest of ``repeats`` timed forward passes, in seconds: other work on the machine only makes a pass longer."""
    best = float("inf")
    with torch.no_grad():
        module(x)
        for _ in range(repeats):
            since = time.perf_counter()
            module(x)
            best = min(best, time.perf_counter() - since)
    return best


def table(results: Mapping[str, Any]) -> str:
    """The variants' accuracies over seeds as text: mean and 95 % interval, parameters and seconds, one line each."""
    lines = [
        f"{'attention':<14}{'test accuracy':>14}   {'95 % interval':<20}{'seeds':>6}{'parameters':>12}{'seconds':>9}"
    ]
    for name, row in results["variants"].items():
        values = list(row["test"].values())
        lines.append(
            f"{name:<14}{100 * sum(values) / len(values):>12.1f} %   {_interval(values):<20}{len(values):>6}"
            f"{row['parameters']:>12,}{row['seconds']:>9.0f}"
        )
    return "\n".join(lines)


def _interval(values: Sequence[float]) -> str:
    if len(values) < 2:
        return "one seed, none"
    _, low, high = mean_interval(list(values))
    return f"{100 * max(low, 0):.1f} to {100 * min(high, 1):.1f} %"
