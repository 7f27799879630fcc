"""The corpus of notebook 06 and its probes: exact probabilities, honest questions, models that can be asked. Seeds are stated."""

from __future__ import annotations

import itertools
import json
import math
import random

import pytest
import torch

from benchmarks.experiments.probe_table import PARTS, ranges, table
from course_utils.checks.compare import CheckFailed
from course_utils.checks.selfcheck import Checker
from course_utils.corpora.stories import (
    AMBIGUOUS,
    CLS,
    CUES,
    FIRST_WORD,
    ITEMS,
    LONGEST,
    NAMES,
    PAD,
    PHRASES,
    SENTINELS,
    SEP,
    SORTS,
    SPECIAL,
    TOKENS,
    VOCAB,
    answer_of,
    as_line,
    blanks,
    corpus,
    decode,
    encode,
    entropy_per_token,
    fact_sentences,
    flat,
    gaps,
    pairs,
    possible,
    prompts,
    senses,
    tags,
    true_nats,
    valid,
    verb,
)
from course_utils.errors import CourseError
from course_utils.lessons.pretraining import padded
from course_utils.lessons.probe_models import (
    MODELS,
    Seq2Seq,
    new_model,
    next_logits,
    read_out,
    states_of,
    waves_,
    written,
)
from course_utils.lessons.probe_runs import PROBES, answers, fingerprint, in_words, table_figure
from solutions.reference import probes
from tests.paths import ROOT

EXAMPLE = "anna owns a lamp . anna wants a cup . anna still wants the cup . the baker sells boxes ."


def line(text: str) -> list[int]:
    return [CLS, *encode(text), SEP]


def test_ids_are_in_order_and_words_are_not_special():
    assert VOCAB == len(set(TOKENS)) == len(TOKENS) and 60 <= VOCAB - FIRST_WORD <= 100
    assert list(range(FIRST_WORD)) == SPECIAL and set(SENTINELS) < set(SPECIAL)
    assert decode(encode(EXAMPLE)) == EXAMPLE and decode([PAD, CLS]) == "[CLS]"
    with pytest.raises(CourseError, match="zebra"):
        encode("anna saw the zebra .")


def test_documents_are_valid_short_and_the_same_for_a_seed():
    documents = corpus(5, 300)
    assert documents == corpus(5, 300) and documents != corpus(6, 300)
    lines = [as_line(document) for document in documents]
    assert all(map(valid, lines)) and max(map(len, lines)) <= LONGEST
    assert {len(document) for document in documents} == {4, 5}
    assert all(min(flat(document)) >= FIRST_WORD for document in documents)


def test_probabilities_of_all_documents_add_up_to_one():
    """Over everything that may follow one pair of facts, with both lengths; the facts themselves are counted."""
    facts = (NAMES[0], ITEMS[0], ITEMS[1])
    known, total = possible(facts), 0.0
    assert all(math.isclose(sum(texts.values()), 1) for texts in known.values())
    for count in (2, 3):
        for sorts in itertools.permutations(SORTS, count):
            text = " ".join([*fact_sentences(facts), *(next(iter(known[sort])) for sort in sorts)])
            share = math.prod(known[sort][next(iter(known[sort]))] for sort in sorts)
            total += math.exp(-true_nats(line(text))) / share
    assert math.isclose(total * len(NAMES) * len(ITEMS) * (len(ITEMS) - 1), 1, rel_tol=1e-9)


def test_entropy_is_that_of_a_large_sample():
    lines = [as_line(document) for document in corpus("entropy", 20_000)]
    sampled = sum(map(true_nats, lines)) / sum(len(row) - 1 for row in lines)
    assert abs(sampled - entropy_per_token()) < 0.003


@pytest.mark.parametrize(
    "text",
    [
        "", ".", ". . . .", "anna owns a lamp .", EXAMPLE.replace("wants the cup", "wants the lamp"),
        EXAMPLE.replace("anna still", "ben still"), EXAMPLE.replace("sells", "hides"),
        EXAMPLE.replace("wants a cup", "wants a lamp"), EXAMPLE.replace(" sells boxes .", " sells boxes"),
        EXAMPLE.replace("the baker sells boxes", "anna still owns the lamp"),
        EXAMPLE + " the hare goes swiftly inland . anna saw the owl by the pond . the snail goes slowly home .",
        EXAMPLE.replace("the baker sells boxes", "anna saw the owl by the street"),
    ],
)  # fmt: skip
def test_impossible_documents_have_no_probability(text):
    assert valid(line(EXAMPLE)) and not valid(line(text))
    assert not valid(line(EXAMPLE)[1:]) and not valid(line(EXAMPLE)[:-1]) and not valid([])


def test_neither_side_alone_tells_the_verb_and_each_has_a_favourite():
    subjects, objects = ({pair[k] for pair in pairs()} for k in (0, 1))
    for who in subjects:
        assert len({verb(who, thing) for thing in objects}) == 3
    for thing in objects:
        assert len({verb(who, thing) for who in subjects}) == 3
    usual = max(pairs().count(pair) for pair in pairs()) * 3 / len(pairs())
    assert math.isclose(usual, 5 / 9)


def test_gaps_have_all_lengths_and_are_told_by_both_sides_only():
    found = gaps(1, 400)
    assert {len(p.answer) for p in found} == {1, 2, 3, 4}
    assert all(valid([*p.left, *p.answer, *p.right]) for p in found + blanks(1, 100))
    assert all(len(p.answer) == 1 for p in blanks(1, 100))
    for side in (0, 1):
        by_side: dict[str, set[str]] = {}
        for key, text in PHRASES.items():
            by_side.setdefault(key[side], set()).add(text)
        assert min(map(len, by_side.values())) >= 2


def test_tags_are_told_by_a_later_word_and_by_nothing_else():
    found = tags(2, 300)
    for tag in found:
        assert TOKENS[tag.line[tag.place]] in AMBIGUOUS and valid(tag.line)
        cue = TOKENS[tag.line[tag.place + 3]]
        assert cue in CUES[("nature", "town")[tag.label]]
    assert 0.4 < sum(tag.label for tag in found) / len(found) < 0.6


def test_tasks_ask_different_things_of_one_sentence():
    for sentence in senses(3, 50):
        assert answer_of("who", sentence) == decode(sentence).split()[0]
        assert answer_of("kind", sentence) in ("nature", "town")
    with pytest.raises(CourseError, match="paint"):
        answer_of("paint", senses(3, 1)[0])


def test_prompts_are_facts_that_can_be_continued():
    for prompt in prompts(4, 20):
        rest = "the hare goes in one go home . the baker sells boxes ."
        assert valid([*prompt, *encode(rest), SEP])


def test_waves_depend_on_the_distance_alone():
    rows = waves_(torch.nn.Embedding(30, 16)).weight.detach()
    products = rows @ rows.T
    assert torch.allclose(products.diagonal(3), products[0, 3].expand(27), atol=1e-6)


def test_seq2seq_hides_the_future_and_the_padding():
    torch.manual_seed(0)
    model = Seq2Seq(VOCAB, LONGEST).eval()
    source, target = padded([[1, 20, 21, 2], [1, 22, 2]]), torch.tensor([[1, 30, 31], [1, 32, 33]])
    out = model(source, target)
    assert torch.allclose(out[:, :2], model(source, target.index_fill(1, torch.tensor([2]), 40))[:, :2], atol=1e-5)
    assert torch.allclose(out[1], model(source[1:, :3], target[1:])[0], atol=1e-5)
    assert all(len(row) <= 7 for row in written(model, [[1, 20, SENTINELS[0], 2]]))


@pytest.mark.parametrize("name", MODELS)
def test_every_model_answers_every_probe(name):
    model = new_model(name, PARTS, 0).eval()
    found = answers(name, model, 1, 12)
    assert set(found) == set(PROBES)
    assert all(len(said) == len(right) == 12 for said, right in found.values())
    assert states_of(name, model, [line(EXAMPLE)]).shape[:2] == (1, len(line(EXAMPLE)))
    if name in ("ELMo", "GPT"):
        assert next_logits(name, model, [line(EXAMPLE), [CLS]]).shape == (2, VOCAB)
    with pytest.raises(CourseError, match="BART"):
        new_model("BART", PARTS, 0)


def test_what_can_be_read_linearly_is_read():
    rng = torch.Generator().manual_seed(0)
    labels = torch.randint(0, 2, (200,), generator=rng)
    states = torch.randn(200, 6, generator=rng) + 2.0 * (2 * labels[:, None] - 1)
    said = read_out(states[:100], labels[:100].tolist(), states[100:])
    assert sum(a == b for a, b in zip(said, labels[100:].tolist(), strict=True)) >= 98


@pytest.mark.slow  # trains
def test_the_table_resumes_and_its_rows_are_judged(tmp_path):
    first = table([0], tmp_path, steps=1)
    assert table([0], tmp_path, steps=1) == first
    assert "classify a sentence" in ranges(first) and len(list(tmp_path.iterdir())) == 4
    with pytest.raises(CheckFailed, match="fewer than three"):
        probes.require_table(Checker("compare"), first)


def test_the_table_on_file_is_that_of_this_corpus_and_says_what_the_text_says():
    found = json.loads((ROOT / "data" / "measured" / "probe_table.json").read_text())
    assert found["corpus"] == fingerprint() and len(found["runs"]) >= 3
    probes.require_table(Checker("compare"), found)
    assert [probes.alone(found["runs"], probe) for probe in PROBES] == ["BERT", None, "GPT", "T5", None]
    assert table_figure(found["runs"]).axes and "T5" in in_words(found["runs"])


def test_a_reference_that_sees_repeats_and_margins():
    runs = [{"seed": s, "scores": {"A": {"x": 0.3}, "B": {"x": 0.2}}} for s in range(3)]
    assert probes.alone(runs, "x") == "A" and probes.alone(runs, "x", 0.2) is None
    assert probes.summary(runs)["A"]["x"][0] == pytest.approx(0.3)
    for call in (probes.summary, lambda few: probes.alone(few, "x")):
        with pytest.raises(ValueError, match="three"):
            call([runs[0]] * 4)


def test_mixture_of_the_reference_holds_both_tasks():
    found = probes.mixture(senses(1, 10), random.Random(0))
    assert len(found) == 20 and {source[1] for source, _ in found} == {encode("kind")[0], encode("who")[0]}
