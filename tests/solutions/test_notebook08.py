"""What only notebook 08 states: exact costs, equal forms of one attention, the bottleneck, the lookup. Seeds are stated."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_map
from torch.utils.flop_counter import FlopCounterMode

from benchmarks.experiments import variants as benchmark
from course_utils.attention import ATTENTION, CausalSelfAttention
from course_utils.checks.agree import same
from course_utils.checks.asking import Ask, Reference
from course_utils.checks.draws import Case
from course_utils.config import ModelConfig
from course_utils.corpora.world import ALPHABET, generate
from course_utils.errors import CourseError
from course_utils.generate import _reader, greedy
from course_utils.lessons.variants import Projections, forward_backward, random_weights, registered, table, try_out
from course_utils.model import GPT
from course_utils.vocab import Vocabulary
from solutions.reference import variants
from solutions.reference.lookup import LookupLayer, lookup_tokens
from solutions.reference.perceiver import PerceiverAttention
from solutions.reference.synthesizer import SynthesizerAttention, parameter_keys, synthesizer_flops, vanilla_flops

WAYS = "course_utils.lessons.variants."


def randomised(module: nn.Module, seed: int) -> nn.Module:
    """The module in float64 with weights that are neither 0 nor 1."""
    rng = torch.Generator().manual_seed(seed)
    shapes = {name: tuple(p.shape) for name, p in module.named_parameters()}
    module = module.double().eval()
    module.load_state_dict(random_weights(shapes, rng, torch.float64), strict=False)
    return module


def written_out(m: SynthesizerAttention, x: torch.Tensor) -> torch.Tensor:
    """The equation head by head and row by row, with no library attention."""
    d, heads = m.B.shape[1], []
    for h in range(m.n_head):
        cut = slice(h * d, (h + 1) * d)
        hidden = torch.relu(x @ m.A.weight[cut].T + m.A.bias[cut])
        values = x @ m.value.weight[cut].T + m.value.bias[cut]
        rows = []
        for t in range(x.shape[1]):
            weights = torch.softmax(hidden[:, t] @ m.B[h, :, : t + 1] + m.b2[h, : t + 1], -1)
            rows.append(torch.einsum("bs,bsd->bd", weights, values[:, : t + 1]))
        heads.append(torch.stack(rows, 1))
    return torch.cat(heads, -1) @ m.proj.weight.T + m.proj.bias


def test_synthesizer_is_its_equation_for_every_length() -> None:
    module = randomised(SynthesizerAttention(ModelConfig(5, 9, 1, 3, 12, dropout=0.5)), 1)
    for length in range(1, 10):
        x = torch.randn(2, length, 12, dtype=torch.float64, generator=torch.Generator().manual_seed(length))
        torch.testing.assert_close(module(x), written_out(module, x), atol=1e-12, rtol=1e-12)  # type: ignore[arg-type]


def test_perceiver_is_its_equation_and_a_mean_of_few_summaries() -> None:
    module = randomised(PerceiverAttention(ModelConfig(5, 9, 1, 2, 8)), 2)
    x = torch.randn(2, 7, 8, dtype=torch.float64, generator=torch.Generator().manual_seed(3))
    q, k, v = (module.split(layer(x)) for layer in (module.query, module.key, module.value))
    rows = []
    for t in range(7):
        latents, past = module.latents.expand(2, -1, -1, -1), (k[:, :, : t + 1], v[:, :, : t + 1])
        pooled = [F.scaled_dot_product_attention(latents, past[0], part) for part in past]
        rows.append(F.scaled_dot_product_attention(q[:, :, t : t + 1], *pooled))
    torch.testing.assert_close(module(x), module.proj(module.merge_heads(torch.cat(rows, 2))), atol=1e-10, rtol=1e-10)


def test_perceiver_is_finite_for_large_scores() -> None:
    module = PerceiverAttention(ModelConfig(5, 64, 1, 2, 8))
    assert bool(module(1e3 * torch.randn(2, 64, 8, generator=torch.Generator().manual_seed(1))).isfinite().all())


@pytest.mark.parametrize("name", ["synthesizer", "rope", "perceiver"])
def test_variants_write_the_same_with_and_without_a_cache(name: str) -> None:
    position = getattr(ATTENTION[name], "position", "learned")
    torch.manual_seed(4)
    model = GPT(ModelConfig(11, 24, 2, 2, 16, attention=name, position=position)).double().eval()
    prompts = [[3, 4, 5], [6, 7, 8, 9, 10, 2, 3]]
    cached, confidence = greedy(model, prompts, 9, ())
    for prompt, new, sure in zip(prompts, cached, confidence, strict=True):
        ids, total = torch.tensor([prompt]), 0.0
        for _ in new:
            logp = model(ids)[0, -1].log_softmax(-1)
            total += float(logp.max())
            ids = torch.cat([ids, logp.argmax()[None, None]], 1)
        assert ids[0, len(prompt) :].tolist() == new
        assert sure == pytest.approx(total / len(new), abs=1e-5)


class Shapes(TorchDispatchMode):
    """What every operation makes, by name and shape."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[tuple[str, object]] = []

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        out = func(*args, **(kwargs or {}))
        self.seen.append((str(func), tree_map(lambda t: getattr(t, "shape", None), out)))
        return out


@pytest.mark.parametrize("name", ["vanilla", "synthesizer", "rope", "perceiver"])
def test_decoding_with_a_cache_has_shapes_that_do_not_grow(name: str) -> None:
    """Else nothing could be compiled or captured once and replayed for every token."""
    position = getattr(ATTENTION[name], "position", "learned")
    model = GPT(ModelConfig(11, 24, 2, 2, 16, attention=name, position=position)).eval()
    ids, steps = torch.randint(11, (3, 20)), []
    with torch.no_grad():
        read = _reader(model, 3, 20)
        read(ids[:, :4])
        for t in range(5, 20):
            new = ids[:, :t]
            with Shapes() as shapes:
                read(new)
            steps.append(shapes.seen)
    assert len(steps[0]) > 20 and all(step == steps[0] for step in steps)


def test_parameter_keys_serve_the_library() -> None:
    rng = torch.Generator().manual_seed(6)
    hidden, B, b2, v = (
        torch.randn(*s, generator=rng, dtype=torch.float64) for s in ((2, 3, 5, 4), (3, 4, 8), (3, 8), (2, 3, 5, 4))
    )
    q, k = parameter_keys(hidden, B, b2)
    scores = hidden @ B[..., :5] + b2[:, None, :5]
    want = scores.masked_fill(torch.ones(5, 5).triu(1).bool(), -torch.inf).softmax(-1) @ v
    got = F.scaled_dot_product_attention(q, k.expand(2, -1, -1, -1), v, is_causal=True, scale=1.0)
    torch.testing.assert_close(got, want, atol=1e-12, rtol=1e-12)


class PlainSynthesizer(SynthesizerAttention):
    """The equation's own matrix products, to be counted."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        T = x.shape[1]
        scores = self.split(self.A(x)).relu() @ self.B[..., :T] + self.b2[:, None, :T]
        return self.proj(self.merge_heads(scores.softmax(-1) @ self.split(self.value(x))))


class PlainVanilla(Projections):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        scores = self.split(self.query(x)) @ self.split(self.key(x)).mT
        return self.merge(scores.softmax(-1) @ self.split(self.value(x)))


def test_costs_are_what_the_counter_sees() -> None:
    rng = random.Random(7)
    for _ in range(5):
        H, T = rng.randint(1, 4), rng.randint(2, 40)
        D = H * rng.randint(2, 12)
        for cls, formula in ((PlainVanilla, vanilla_flops), (PlainSynthesizer, synthesizer_flops)):
            with FlopCounterMode(display=False) as counter:
                cls(ModelConfig(5, T, 1, H, D))(torch.randn(1, T, D))
            assert counter.get_total_flops() == formula(T, D)


def test_the_ratio_the_text_states() -> None:
    ratios = [synthesizer_flops(T, 128) / vanilla_flops(T, 128) for T in (64, 2048)]
    assert [round(r, 2) for r in ratios] == [0.80, 0.97]
    assert (vanilla_flops(48, 128), synthesizer_flops(48, 128)) == (7_471_104, 5_898_240)


def test_missing_parameters_of_the_shared_matrix() -> None:
    """The frame in section 1: 7 · 33 · 128 numbers in each layer at D=256, H=8, block 128."""
    module = SynthesizerAttention(ModelConfig(5, 128, 1, 8, 256))
    shared = module.B[0].numel() + module.b2[0].numel()
    assert module.B.numel() + module.b2.numel() - shared == 29_568


def trained_lookup(kind: str) -> float:
    rng = torch.Generator().manual_seed(1)
    torch.manual_seed(1)

    def batch(count: int) -> tuple[torch.Tensor, torch.Tensor]:
        keys = torch.rand(count, 16, generator=rng).argsort(1)[:, :8]
        values = torch.rand(count, 8, generator=rng).argsort(1)
        return lookup_tokens(keys, values, torch.randint(8, (count,), generator=rng), 16, 8)

    layer = LookupLayer(kind, 16, 8, 8)
    optimizer = torch.optim.Adam(layer.parameters(), lr=1e-2)
    for _ in range(400):
        x, y = batch(64)
        optimizer.zero_grad()
        (-(layer(x).gather(1, y[:, None]) + 1e-4).log().mean()).backward()
        optimizer.step()
    x, y = batch(2000)
    return float((layer(x).argmax(-1) == y).float().mean())


def test_one_layer_looks_up_by_dot_product_and_not_by_synthesizer() -> None:
    assert trained_lookup("dot") >= 0.95
    assert abs(trained_lookup("synthesizer") - 1 / 8) < 0.05


def test_every_variant_learns_to_write() -> None:
    world, vocab = generate(5, n_people=20, n_never=0), Vocabulary.from_text(ALPHABET)
    for name in variants.VARIANTS:
        losses = try_out(name, world.wiki, vocab, 30)
        assert losses[-1] < losses[0] - 0.5, name


def test_rotations_depend_on_the_distance_alone() -> None:
    x, y = torch.randn(2, 1, 8, dtype=torch.float64, generator=torch.Generator().manual_seed(2))
    for turn in variants.ropes(12, 8):
        a, b = turn(x.expand(12, 8)), turn(y.expand(12, 8))
        scores = a @ b.T
        for shift in (1, 4):
            torch.testing.assert_close(scores[shift:, shift:], scores[:-shift, :-shift])
    for slip in ({"power": -1.0}, {"power": 0.5}, {"first": 1}):
        assert not torch.allclose(
            variants.ropes(12, 8)[0](x.expand(12, 8)), variants.ropes(12, 8, **slip)[0](x.expand(12, 8))
        )


def test_handed_in_weights_must_be_a_synthesizer() -> None:
    config = ModelConfig(30, 256, 2, 4, 128, attention="synthesizer")
    weights = GPT(config).state_dict()
    assert variants.model_from_weights(weights, 30, "synthesizer").config == config
    with pytest.raises(CourseError, match="characters"):
        variants.model_from_weights(weights, 31, "synthesizer")
    vanilla = GPT(ModelConfig(30, 256, 2, 4, 128)).state_dict()
    with pytest.raises(CourseError, match="another architecture"):
        variants.model_from_weights(vanilla, 30, "synthesizer")
    assert 0.05 < variants.threshold("synthesizer_test_accuracy") < 0.9


def test_forward_backward_names_a_parameter_that_does_not_belong() -> None:
    config = ModelConfig(5, 6, 1, 2, 8)
    weights = dict(CausalSelfAttention(config).state_dict()) | {"extra": torch.ones(1)}
    with pytest.raises(CourseError, match="extra"):
        forward_backward(CausalSelfAttention, [config], weights, torch.randn(1, 3, 8))


def test_a_registered_class_is_used_by_name() -> None:
    @registered("named_for_a_test")
    class Mine(CausalSelfAttention):
        pass

    try:
        assert isinstance(GPT(ModelConfig(5, 6, 1, 2, 8, attention="named_for_a_test")).blocks[0].attention, Mine)
    finally:
        del ATTENTION["named_for_a_test"]


def test_the_benchmark_keeps_its_runs_and_writes_the_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, test in (("vanilla", 0.9), ("rope", 1.0)):
        for seed in (benchmark.FIRST_SEED, benchmark.FIRST_SEED + 1):
            row = {
                "attention": name,
                "seed": seed,
                "test": test,
                "dev": test,
                "parameters": 7,
                "seconds": 1.0,
                "loss": 1.0,
            }
            (tmp_path / f"{name}-{seed}.json").write_text(json.dumps(row))
    out = tmp_path / "variants.json"
    arguments = ["--seeds", "2", "--only", "vanilla", "rope", "--folder", str(tmp_path), "--out", str(out)]
    assert benchmark.main(arguments) == 0
    made = json.loads(out.read_text())
    assert made["variants"]["rope"]["test"] == {str(benchmark.FIRST_SEED): 1.0, str(benchmark.FIRST_SEED + 1): 1.0}
    assert "90.0 %" in table(made)
    assert benchmark.main(["--only", "nonsense"]) == 2
    assert "nonsense" in capsys.readouterr().err


class Dropping(SynthesizerAttention):
    """Dropout on what the heads give, number by number."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return F.dropout(super().forward(x), self.dropout, self.training)


def test_ratios_in_training_tell_dropped_weights_from_dropped_numbers() -> None:
    config, eye = ModelConfig(5, 1, 1, 2, 4, dropout=0.4), torch.eye(4, dtype=torch.float64)
    weights = {name: torch.zeros_like(p).double() for name, p in SynthesizerAttention(config).named_parameters()}
    weights |= {"value.weight": eye, "proj.weight": eye}
    x = torch.full((60, 1, 4), 2.0, dtype=torch.float64)
    case, agree = Case((x,), setup={"sizes": (config,), "weights": weights}), same(view=f"{WAYS}weights_dropped")
    ask = Ask(f"{WAYS}ratios_in_training", ("Synthesizer",))
    for cls, right in ((SynthesizerAttention, True), (Dropping, False)):
        assert (agree.problem(case, ask(Reference({"Synthesizer": cls}), case), [[1.0], True]) is None) == right
