"""What only notebook 02 states: number words, exact FLOPs, the mask experiment, the translator's frame. Seeds are stated."""

from __future__ import annotations

import math
import random

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.utils.flop_counter import FlopCounterMode

from course_utils.checks.asking import Reference
from course_utils.checks.draws import Case, Draw, Made
from course_utils.checks.helpers import name_slip, same
from course_utils.checks.selfcheck import Checker, CheckFailed
from course_utils.corpora.numbers import (
    EOS,
    PAD,
    WORDS,
    decode_words,
    encode_numbers,
    encode_words,
    number_tensors,
    split_numbers,
    words_of,
)
from course_utils.errors import CourseError
from course_utils.lessons import translator
from course_utils.lessons.blocks import (
    MindfulProbe,
    attention_flops,
    canonical_weights,
    dropout_law,
    field_of,
    load_canonical,
    random_weights,
    require_weights,
    spoken,
    weight_shapes,
    with_weights,
)
from course_utils.lessons.masks import ENTROPY, try_mask
from course_utils.lessons.translator import (
    Translator,
    kept_translator,
    load_translator,
    save_translator,
    train_translator,
)
from course_utils.lessons.translator_probes import TranslatorProbe, learned, left_alone, probe_weights, sentences
from solutions.reference.blocks import (
    Block,
    DecoderLayer,
    EncoderLayer,
    MultiHeadAttention,
    exact_match,
    translate,
    translation_loss,
    translator_faults,
)


@pytest.mark.parametrize(
    ("number", "english", "german"),
    [
        (1, "one", "eins"),
        (16, "sixteen", "sechzehn"),
        (21, "twenty one", "einundzwanzig"),
        (70, "seventy", "siebzig"),
        (101, "one hundred one", "einhunderteins"),
        (1000, "one thousand", "eintausend"),
        (4217, "four thousand two hundred seventeen", "viertausendzweihundertsiebzehn"),
        (9999, "nine thousand nine hundred ninety nine", "neuntausendneunhundertneunundneunzig"),
    ],
)
def test_number_words(number: int, english: str, german: str) -> None:
    assert decode_words(encode_words([number], "en")[0]) == english
    assert decode_words(encode_words([number], "de")[0]) == german


def test_every_number_has_its_own_words_and_fits() -> None:
    for language in ("en", "de"):
        ids = encode_words(range(1, 10000), language)
        assert len({tuple(row) for row in ids.tolist()}) == 9999
        assert int(ids.max()) < len(WORDS)
    assert len({tuple(row) for row in encode_numbers(range(1, 10000)).tolist()}) == 9999


@pytest.mark.parametrize(("number", "language"), [(0, "en"), (10000, "de"), (5, "fr")])
def test_unknown_numbers_and_languages_are_refused(number: int, language: str) -> None:
    with pytest.raises(CourseError):
        words_of(number, language)


def test_held_out_numbers_are_held_out() -> None:
    training, held_out = split_numbers()
    assert len(held_out) == 1000
    assert not set(training) & set(held_out)
    assert sorted(training + held_out) == list(range(1, 10000))


def test_flops_equal_the_formula_and_a_run_with_real_numbers() -> None:
    """The counter on the meta device, the formula of section 7, and the counter on the reference layer agree."""
    rng = random.Random(2)
    for _ in range(5):
        heads = rng.randint(1, 4)
        n, m, k = rng.randint(2, 40), rng.randint(2, 40), heads * rng.randint(2, 16)
        formula = 4 * (n + m) * k * k + 4 * n * m * k
        assert attention_flops(n, m, k, heads) == formula
        with (
            FlopCounterMode(display=False) as counter,
            torch.nn.attention.sdpa_kernel(torch.nn.attention.SDPBackend.MATH),
        ):
            MultiHeadAttention(k, heads)(torch.randn(1, n, k), torch.randn(1, m, k))
        assert counter.get_total_flops() == formula


@pytest.mark.slow
def test_wrong_masks_beat_the_entropy_and_cannot_write() -> None:
    """Section 3's measurement: the right mask stays above the entropy, the printed rule and a shifted one fall below it."""
    right, valid = try_mask(lambda n: torch.ones(n, n, dtype=torch.bool).tril())
    assert ENTROPY < right < ENTROPY + 0.15
    assert valid > 0.7
    for wrong in (torch.Tensor.triu, lambda mask: mask.tril(1)):
        loss, valid = try_mask(lambda n, wrong=wrong: wrong(torch.ones(n, n, dtype=torch.bool)))
        assert loss < ENTROPY / 2
        assert valid < 0.25


def test_reference_layers_equal_pytorch() -> None:
    rng = torch.Generator().manual_seed(5)
    x, y = torch.randn(3, 5, 12, generator=rng), torch.randn(3, 4, 12, generator=rng)
    real = torch.tensor([[1, 1, 1, 1, 1], [1, 1, 1, 0, 0], [1, 0, 0, 0, 0]]).bool()
    encoder = nn.TransformerEncoderLayer(12, 3, 20, 0.0, batch_first=True)
    got = with_weights(EncoderLayer, (12, 3, 20), random_weights_into(encoder, rng), (x, real[:, None, None, :]))
    torch.testing.assert_close(got, encoder(x, src_key_padding_mask=~real).detach(), atol=1e-4, rtol=1e-4)
    decoder = nn.TransformerDecoderLayer(12, 3, 20, 0.0, batch_first=True)
    weights = {k.replace("multihead_attn", "cross_attn"): v for k, v in random_weights_into(decoder, rng).items()}
    got = with_weights(DecoderLayer, (12, 3, 20), weights, (y, x, real[:, None, None, :]))
    future = torch.ones(4, 4, dtype=torch.bool).triu(1)
    want = decoder(y, x, tgt_mask=future, memory_key_padding_mask=~real).detach()
    torch.testing.assert_close(got, want, atol=1e-4, rtol=1e-4)


def random_weights_into(layer: nn.Module, rng: torch.Generator) -> dict[str, Tensor]:
    """Fresh weights, loaded into ``layer`` and returned under the course's names."""
    weights = random_weights(layer, rng)
    load_canonical(layer, weights)
    return weights


def test_weights_travel_between_both_layouts() -> None:
    theirs = nn.MultiheadAttention(8, 2, batch_first=True)
    weights = canonical_weights(theirs)
    assert set(weights) == set(MultiHeadAttention(8, 2).state_dict())
    again = nn.MultiheadAttention(8, 2, batch_first=True)
    load_canonical(again, weights)
    for name, value in theirs.state_dict().items():
        assert torch.equal(again.state_dict()[name], value)


def test_an_unknown_weight_is_named() -> None:
    with pytest.raises(CourseError, match=r"extra\.weight"):
        load_canonical(nn.ModuleDict({"extra": nn.Linear(2, 2)}), {})


def test_weights_that_lack_or_do_not_fit_are_named() -> None:
    """Both where a file is loaded and where a check looks first; a buffer is no weight."""
    c, weights = Checker("x"), canonical_weights(nn.MultiheadAttention(8, 2))
    buffered = MultiHeadAttention(8, 2)
    buffered.register_buffer("causal", torch.ones(3, 3))
    require_weights(c, weight_shapes(lambda: buffered, ()), weights)
    require_weights(c, weight_shapes(nn.MultiheadAttention, (8, 2)), weights)
    with pytest.raises(CourseError, match=r"q_proj\.weight has shape \(4, 4\) instead of \(8, 8\)"):
        load_canonical(MultiHeadAttention(4, 2), weights)
    with pytest.raises(CheckFailed, match=r"q_proj\.weight has another shape than \(8, 8\)"):
        require_weights(c, weight_shapes(MultiHeadAttention, (4, 2)), weights)
    shapes = weight_shapes(MultiHeadAttention, (8, 2))
    with pytest.raises(CheckFailed, match=r"no weight named k_proj\.bias"):
        require_weights(c, {name: shape for name, shape in shapes.items() if name != "k_proj.bias"}, weights)
    with pytest.raises(CheckFailed, match="does not ask for"):
        require_weights(c, {**shapes, "extra.bias": (8,)}, weights)


def shifted_loss(model: nn.Module, source: Tensor, tag: Tensor, target: Tensor) -> Tensor:
    given = torch.cat([tag[:, None], target[:, :-1]], 1)
    return F.cross_entropy(model(source, given).flatten(0, 1), target.flatten(), ignore_index=PAD)


@pytest.mark.slow
def test_translator_files_and_scores(tmp_path) -> None:
    """Fresh weights (seed 0) score 0, survive saving and loading, and a short training lowers the loss."""
    torch.manual_seed(0)
    model = Translator(EncoderLayer, DecoderLayer)
    losses = train_translator(model, shifted_loss, split_numbers()[0], steps=60)
    assert losses[-1] < 0.7 * losses[0]
    save_translator(model, tmp_path / "translator.safetensors")
    other = Translator(EncoderLayer, DecoderLayer)
    load_translator(other, tmp_path / "translator.safetensors")
    source, tag, target = number_tensors([7, 4217])
    assert torch.equal(shifted_loss(other, source, tag, target), shifted_loss(model, source, tag, target))
    assert exact_match(canonical_weights(Translator(EncoderLayer, DecoderLayer)), [1, 22, 333]) == 0
    assert [path.name for path in tmp_path.iterdir()] == ["translator.safetensors"]


@pytest.mark.slow
def test_translator_learns_both_languages() -> None:
    """The notebook's run on two other seeds: at least 99 % of the held-out translations exactly right."""
    for seed in (1, 2):
        torch.manual_seed(seed)
        model = Translator(EncoderLayer, DecoderLayer)
        train_translator(model, shifted_loss, split_numbers()[0], seed=seed)
        assert exact_match(canonical_weights(model), split_numbers()[1]) >= 0.99


def test_weights_are_kept_with_the_code_that_made_them(tmp_path, monkeypatch, capsys) -> None:
    path, key, trained = tmp_path / "translator.safetensors", ["one"], []
    monkeypatch.delenv("COURSE_GRADING", raising=False)
    monkeypatch.setattr(translator, "answer_key", lambda names: key[0])
    monkeypatch.setattr(translator, "train_translator", lambda *given: trained.append(given) or [1.0])

    def kept() -> nn.Module | None:
        return kept_translator(path, lambda: Translator(EncoderLayer, DecoderLayer), shifted_loss, [1], ("f",))

    monkeypatch.setenv("COURSE_GRADING", "1")
    assert kept() is None and not trained
    monkeypatch.delenv("COURSE_GRADING")
    assert kept() is not None and len(trained) == 1
    assert kept() is not None and len(trained) == 1
    key[0] = "another"
    monkeypatch.setenv("COURSE_GRADING", "1")
    assert kept() is not None and len(trained) == 1
    monkeypatch.delenv("COURSE_GRADING")
    capsys.readouterr()
    assert kept() is not None and len(trained) == 2
    assert "other code" in capsys.readouterr().out


def test_handed_in_weights_are_judged_by_what_they_do() -> None:
    weights = canonical_weights(Translator(EncoderLayer, DecoderLayer))
    assert "gets 0%" in translator_faults(weights)
    assert "other weights" in translator_faults({"head.bias": weights["head.bias"]})


def probe(training: bool) -> tuple[Made, ...]:
    d = Draw(3)
    made = Made("course_utils.lessons.translator_probes.TranslatorProbe", (probe_weights(d, 9, 6, 5), training))
    return made, d.ids(3, 4, low=0, high=5), d.ids(3, low=2, high=8)


def test_the_probe_minds_all_words_all_digits_and_its_mode() -> None:
    """Seed 3: any other word or digit changes the last logits; later words change no earlier ones."""
    made, source, _ = probe(training=False)
    model, words = TranslatorProbe(made.args[0]), torch.tensor([[2, 3, 4, 5, 6]] * 3)
    whole = model(source, words)
    for place in range(5):
        other = words.clone()
        other[:, place] = 7
        found = model(source, other)
        assert torch.equal(found[:, :place], whole[:, :place]) and not torch.allclose(found[:, -1], whole[:, -1])
    assert not torch.allclose(model(source, words[:, [1, 0, 2, 3, 4]])[:, -1], whole[:, -1])
    assert not torch.allclose(model(source.flip(1), words), whole)
    assert torch.equal(model.train()(source, words), 0.5 * whole)


def test_sentences_end_once_and_one_fills_its_row() -> None:
    for number in range(8):
        target = sentences(Draw(1, number), 4, 6, 9)
        assert ((target == EOS).sum(1) == 1).all() and target[0, -1] == EOS and target[-1, -1] == PAD
        assert ((target == PAD) == ((target == EOS).cumsum(1) - (target == EOS).long() > 0)).all()


def test_what_a_function_does_to_gradients_and_modes_is_seen() -> None:
    made, source, tag = probe(training=False)

    def switches_off(*given: object) -> Tensor:
        torch.set_grad_enabled(False)
        return translate(*given)

    def asked(function: object) -> list[dict[str, object]]:
        return left_alone(Reference({"translate": function}), Case((made, source, tag, 5)), "translate")

    on, off = asked(translate)
    assert on["gradients are on"] and not off["gradients are on"] and not on["training"]
    assert not asked(switches_off)[0]["gradients are on"] and torch.is_grad_enabled()
    assert asked(lambda model, *given: translate(model.train(), *given))[0]["training"]
    case = Case((made, source, tag, sentences(Draw(2), 3, 5, 9)))
    assert learned(Reference({"f": translation_loss}), case, "f")["left"]["training"] is False
    with pytest.raises(CheckFailed, match="no gradient"):
        learned(Reference({"f": lambda *given: translation_loss(*given).item()}), case, "f")


def test_name_slip_names_the_cause_and_ignores_coincidence() -> None:
    c, right = Checker("x"), torch.tensor([1.0, 2.0])
    name_slip(c, right.clone(), right, {"same as right": right.clone()}, "wrong")
    with pytest.raises(CheckFailed, match="doubled"):
        name_slip(c, 2 * right, right, {"doubled": 2 * right}, "wrong")
    with pytest.raises(CheckFailed, match=r"^wrong$"):
        name_slip(c, 3 * right, right, {"doubled": 2 * right}, "wrong")
    with pytest.raises(CheckFailed):
        name_slip(c, None, right, {"doubled": 2 * right}, "wrong")


def test_small_tools() -> None:
    assert same(torch.ones(2), torch.ones(2))
    assert not same(torch.ones(2), torch.ones(2, dtype=torch.int64))
    assert not same(None, torch.ones(2))


class OneDraw(Block):
    """Dropout that every row of the batch shares."""

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        return super().forward(x[:1], mask).expand_as(x)


def test_the_law_of_dropout_tells_shared_draws_from_independent_ones() -> None:
    """Seed 4, rate 0.3: 64 patterns with their exact shares; draws shared by the batch show in the neighbours' share."""
    rng = torch.Generator().manual_seed(4)
    weights = random_weights(Block(3, 1, 2, 0.3, True), rng)
    for name in ("self_attn.out_proj", "linear2"):
        weights[f"{name}.weight"] = torch.zeros_like(weights[f"{name}.weight"])
    case = Case((torch.tensor([0.3, -1.2, 0.8]),), setup={"sizes": (3, 1, 2, 0.3, True), "weights": weights})
    results, shares, alike = dropout_law(Reference({"Block": Block}), case, "Block")
    exact = sorted(0.3**n * 0.7 ** (6 - n) for n in range(7) for _ in range(math.comb(6, n)))
    assert len(results) == 64
    torch.testing.assert_close(
        shares.double().sort().values, torch.tensor(exact, dtype=torch.float64), atol=0.01, rtol=0
    )
    assert all(abs(share - sum(p * p for p in exact)) < 0.01 for share in alike)
    assert dropout_law(Reference({"Block": OneDraw}), case, "Block")[2][1] == 1  # the next row


def test_the_stand_in_minds_all_words_and_each_run_of_its_encoder() -> None:
    rng = torch.Generator().manual_seed(1)
    probe = MindfulProbe(torch.randn(2, 5, 5, generator=rng), torch.randn(2, 5, 5, generator=rng))
    source, words = torch.tensor([[1, 2]]), torch.tensor([[3, 1, 4]])
    memory = probe.encode(source)
    whole = probe.decode(words, memory, source)[:, -1]
    for other in (words[:, 1:], words[:, [1, 0, 2]]):
        assert not torch.allclose(probe.decode(other, memory, source)[:, -1], whole)
    assert not torch.equal(probe.encode(source), memory)
    torch.testing.assert_close(probe.decode(words, memory, source)[:, :2], probe.decode(words[:, :2], memory, source))


def test_views_say_what_answers_bring_about() -> None:
    assert field_of(Case((2, 2)), [[1, 2], [3, 6]]) == [2, [2, 2], 9]
    for wrong in ([[1, 2]], [[1, 2], [3]], [[1, 2], [3, 6.0]]):
        with pytest.raises(CheckFailed):
            field_of(Case((2, 2)), wrong)
    short = torch.tensor([[5, 1]])
    assert spoken(Case((4,)), [short])[0].tolist() == [[5, 1, PAD, PAD]]
    with pytest.raises(CheckFailed):
        spoken(Case((1,)), short)
