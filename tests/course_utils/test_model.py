"""The GPT: counts, causality, agreement with an independent computation, caches, configuration. Seeds stated."""

from dataclasses import asdict, replace

import pytest
import torch
from torch import nn

from course_utils.attention import ATTENTION, CausalSelfAttention, attention_class, register_attention
from course_utils.config import PROFILES, ModelConfig, TrainConfig, detect_profile, profile
from course_utils.errors import CourseError
from course_utils.generate import greedy
from course_utils.model import GPT, evaluating, loss, mean_loss

SMALL = ModelConfig(vocab_size=17, block_size=12, n_layer=2, n_head=4, n_embd=32)


def randomised(config: ModelConfig, seed: int = 0) -> GPT:
    """A model in which every number is drawn, norms and biases too, so that nothing hides behind a 1 or a 0."""
    torch.manual_seed(seed)
    model = GPT(config).eval()
    with torch.no_grad():
        for p in model.parameters():
            p.copy_(torch.randn(p.shape) * 0.3)
    return model


@pytest.mark.parametrize(("position", "count"), [("learned", 3_323_392), ("none", 3_290_624)])
def test_the_handouts_model_has_exactly_the_published_number_of_parameters(position: str, count: int) -> None:
    assert GPT(PROFILES["handout"].model_for(256, position=position)).n_params() == count


def test_attention_equals_an_explicit_computation_in_float64() -> None:
    torch.manual_seed(1)
    m = CausalSelfAttention(SMALL).double().eval()
    x = torch.randn(3, 9, 32, dtype=torch.float64)
    q, k, v = m.query(x), m.key(x), m.value(x)
    heads = []
    for h in range(4):
        c = slice(8 * h, 8 * h + 8)
        scores = q[..., c] @ k[..., c].transpose(1, 2) / 8**0.5
        scores = scores.masked_fill(torch.ones(9, 9).triu(1).bool(), float("-inf"))
        heads.append(scores.softmax(-1) @ v[..., c])
    assert torch.allclose(m(x), m.proj(torch.cat(heads, -1)), atol=1e-12)


def test_the_future_cannot_change_the_past() -> None:
    model = randomised(SMALL)
    a = torch.randint(0, 17, (5, 12), generator=torch.Generator().manual_seed(2))
    b = a.clone()
    b[:, 7:] = (b[:, 7:] + 1) % 17
    ya, yb = model(a), model(b)
    assert torch.allclose(ya[:, :7], yb[:, :7], atol=1e-5)
    assert not torch.allclose(ya[:, 7:], yb[:, 7:], atol=1e-2)


def test_without_positions_a_repeated_token_looks_the_same_everywhere() -> None:
    ids = torch.full((1, 12), 3)
    flat = randomised(replace(SMALL, position="none"))(ids)
    assert torch.allclose(flat[0, 0], flat[0, -1], atol=1e-4)
    learned = randomised(SMALL)(ids)
    assert not torch.allclose(learned[0, 0], learned[0, -1], atol=1e-2)


@pytest.mark.parametrize("cut", [1, 5, 11])
def test_a_cache_gives_what_reading_everything_gives(cut: int) -> None:
    model = randomised(SMALL)
    ids = torch.randint(0, 17, (4, 12), generator=torch.Generator().manual_seed(3))
    caches = [block.attention.new_cache(4, 12) for block in model.blocks]
    for start, end in ((0, cut), (cut, 12)):
        at = torch.arange(start, end)
        x = model.embed(ids[:, start:end], at)
        for block, cache in zip(model.blocks, caches, strict=True):
            x = block.decode_step(x, cache, at)
    assert torch.allclose(model.head(model.norm(x)), model(ids)[:, cut:], atol=1e-4)


def test_loss_is_the_mean_over_real_targets_and_ignores_padding() -> None:
    g = torch.Generator().manual_seed(4)
    logits, y = torch.randn(2, 5, 17, generator=g), torch.randint(1, 17, (2, 5), generator=g)
    y[0, 3:] = 0
    logp = logits.log_softmax(-1)
    by_hand = [-logp[b, t, y[b, t]] for b in range(2) for t in range(5) if y[b, t] != 0]
    assert loss(logits, y).item() == pytest.approx(float(sum(by_hand) / len(by_hand)), rel=1e-5)
    assert loss(logits, torch.zeros_like(y)).item() == 0


def test_mean_loss_weighs_every_token_alike_and_restores_the_mode() -> None:
    model = randomised(SMALL).train()
    g = torch.Generator().manual_seed(5)
    X, Y = (torch.randint(1, 17, (70, 6), generator=g) for _ in range(2))
    Y[:64, 1:] = 0  # the batches differ in how many targets they have
    expected = loss(model.eval()(X), Y).item()
    model.train()
    assert mean_loss(model, X, Y) == pytest.approx(expected, rel=1e-5)
    assert model.training


def test_each_module_comes_back_in_its_own_mode_also_after_an_error() -> None:
    """A block that is frozen in evaluation mode stays so, in a model that trains and in one that does not."""
    model = randomised(SMALL)
    for outer, inner in ((True, False), (False, True)):
        model.train(outer)
        model.blocks[0].train(inner)
        before = [module.training for module in model.modules()]
        with evaluating(model):
            assert not any(module.training for module in model.modules())
        ids = torch.ones(2, 3, dtype=torch.int64)
        mean_loss(model, ids, ids)
        greedy(model, [[1, 2]], 2)
        with pytest.raises(CourseError):
            mean_loss(model, torch.ones(1, 99, dtype=torch.int64), torch.ones(1, 99, dtype=torch.int64))
        assert [module.training for module in model.modules()] == before and len(set(before)) == 2


def test_every_linear_map_and_embedding_is_initialised_and_no_other_parameter() -> None:
    """A variant's layers lose what their constructors gave them; its free parameters and the norms keep it."""

    class Variant(CausalSelfAttention):
        def __init__(self, config: ModelConfig) -> None:
            super().__init__(config)
            self.own, self.free = nn.Linear(400, 400), nn.Parameter(torch.full((3,), 7.0))
            nn.init.constant_(self.own.weight, 5.0)

    register_attention("initialised", Variant)
    try:
        model = GPT(replace(SMALL, attention="initialised", n_layer=8))
    finally:
        del ATTENTION["initialised"]
    for module in model.modules():
        if isinstance(module, nn.Linear | nn.Embedding):
            assert module.weight.std().item() == pytest.approx(0.02, rel=0.15), "before a residual sum, too"
        if isinstance(module, nn.Linear) and module.bias is not None:
            assert not module.bias.any()
        if isinstance(module, nn.LayerNorm):
            assert bool((module.weight == 1).all())
        if isinstance(module, Variant):
            assert module.free.tolist() == [7.0] * 3


def test_gradients_reach_every_parameter() -> None:
    model = randomised(SMALL).train()
    ids = torch.randint(0, 17, (4, 12), generator=torch.Generator().manual_seed(6))
    loss(model(ids[:, :-1]), ids[:, 1:]).backward()
    dead = [n for n, p in model.named_parameters() if p.grad is None or not p.grad.any()]
    assert dead == ["blocks.0.attention.key.bias", "blocks.1.attention.key.bias"] or not dead  # softmax ignores it


def test_a_registered_attention_is_used_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(ATTENTION, "vanilla", CausalSelfAttention)  # restores the register afterwards

    class Mean(nn.Module):
        def __init__(self, config: ModelConfig) -> None:
            super().__init__()

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return x.cumsum(1) / torch.arange(1, x.shape[1] + 1)[:, None]

    register_attention("vanilla", Mean)
    assert isinstance(GPT(SMALL).blocks[0].attention, Mean)
    with pytest.raises(CourseError, match=r"known are .*vanilla"):
        attention_class("nonsense")
    with pytest.raises(CourseError, match="derived from"):
        register_attention("f", lambda config: None)  # type: ignore[arg-type]


def test_too_long_an_input_and_an_unknown_vocabulary_are_told_in_a_sentence() -> None:
    with pytest.raises(CourseError, match="13 tokens long, this model reads 12"):
        GPT(SMALL)(torch.zeros(1, 13, dtype=torch.long))
    with pytest.raises(CourseError, match="size of its vocabulary"):
        GPT(ModelConfig())


@pytest.mark.parametrize(
    "change", [{"n_head": 5}, {"n_layer": 0}, {"dropout": 1.0}, {"position": "rope"}, {"vocab_size": -1}]
)
def test_impossible_models_are_refused(change: dict) -> None:
    with pytest.raises(CourseError):
        replace(SMALL, **change)


@pytest.mark.parametrize(
    "change",
    [{"steps": 5}, {"epochs": None}, {"lr": 0.0}, {"muon_lr": float("nan")}, {"schedule": "step"}, {"warmup": 1.0}],
)
def test_impossible_trainings_are_refused(change: dict) -> None:
    with pytest.raises(CourseError):
        replace(TrainConfig(batch_size=4, epochs=2), **change)


def test_configurations_survive_a_dictionary_and_refuse_strangers() -> None:
    for p in PROFILES.values():
        assert ModelConfig.from_dict(asdict(p.model)) == p.model
        assert TrainConfig.from_dict({**asdict(p.pretrain), "betas": list(p.pretrain.betas)}) == p.pretrain
    with pytest.raises(CourseError, match="no field width"):
        ModelConfig.from_dict({"width": 3})


def test_profiles_are_found_by_name_and_by_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    assert profile("colab").name == "colab"
    with pytest.raises(CourseError, match="laptop"):
        profile("toaster")
    monkeypatch.delenv("COURSE_PROFILE", raising=False)
    for gpu, capability, name in ((False, (0, 0), "laptop"), (True, (7, 5), "colab"), (True, (9, 0), "h200")):
        monkeypatch.setattr(torch.cuda, "is_available", lambda gpu=gpu: gpu)
        monkeypatch.setattr(torch.cuda, "get_device_capability", lambda capability=capability: capability)
        assert detect_profile().name == name
    monkeypatch.setenv("COURSE_PROFILE", "handout")
    assert detect_profile().name == "handout"
