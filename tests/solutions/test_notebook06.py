"""Notebook 06: its tools, and references that hold what the exercises promise."""

from __future__ import annotations

import math
import random
from itertools import islice, pairwise

import pytest
import torch
from scipy.stats import binomtest
from torch import nn

from course_utils.checks.answers import answer_key
from course_utils.checks.asking import Reference
from course_utils.checks.compare import CheckFailed
from course_utils.checks.draws import Case
from course_utils.corpora.stories import (
    CLS,
    FIRST_WORD,
    LONGEST,
    PAD,
    SENTINELS,
    SEP,
    SPECIAL,
    VOCAB,
    as_line,
    corpus,
    flat,
    true_nats,
)
from course_utils.errors import CourseError
from course_utils.lessons.pretraining import Reader, padded, reverse_rows, sample_lines, two_sided_p
from course_utils.lessons.pretraining_probes import fitting, learned_side, unlike_slopes, verdict
from course_utils.lessons.probe_models import _batches, train_by
from course_utils.lessons.probe_runs import texts_for
from course_utils.lessons.sentence_ways import lots, pair_rules, reached, reads, trains
from course_utils.lessons.transfer import save
from solutions.reference import pretraining as ref


def test_rows_are_reversed_up_to_their_length_and_back():
    x = torch.tensor([[7, 8, 9, 0], [4, 5, 6, 7]])
    n = torch.tensor([3, 4])
    assert reverse_rows(x, n).tolist() == [[9, 8, 7, 0], [7, 6, 5, 4]]
    states = torch.randn(2, 4, 3, generator=torch.Generator().manual_seed(0))
    assert torch.equal(reverse_rows(reverse_rows(states, n), n), states)
    with pytest.raises(CourseError, match="lengths"):
        reverse_rows(x, torch.tensor([5, 1]))


def test_two_sided_p_is_twice_the_smaller_exact_tail():
    rng = random.Random(0)
    for _ in range(40):
        n, p = rng.randint(1, 400), rng.uniform(0.01, 0.99)
        k = rng.randint(0, n)
        tails = (binomtest(k, n, p, alternative=side).pvalue for side in ("less", "greater"))
        assert two_sided_p(k, n, p) == pytest.approx(min(1, 2 * min(tails)), rel=1e-7)
    assert two_sided_p(0, 5, 0.0) == 1 and two_sided_p(1, 5, 0.0) == 0
    with pytest.raises(CourseError):
        two_sided_p(6, 5, 0.5)


def test_reader_keeps_to_its_mask_and_ignores_padding():
    torch.manual_seed(0)
    ids = torch.randint(FIRST_WORD, VOCAB, (2, 9))
    later = ids.clone()
    later[:, 6] = FIRST_WORD + (ids[:, 6] - FIRST_WORD + 1) % (VOCAB - FIRST_WORD)
    for causal in (True, False):
        model = Reader(VOCAB, 16, causal=causal).eval()
        moved = (model(later) - model(ids)).detach().abs().amax((0, 2))  # (B, T, V) -> (T,)
        assert float(moved[6:].min()) > 1e-5
        assert (float(moved[:6].max()) < 1e-5) == causal
        longer = torch.cat([ids, torch.zeros(2, 4, dtype=torch.int64)], 1)
        assert torch.allclose(model(longer)[:, :9], model(ids), atol=1e-5)
        assert not torch.allclose(model(ids, torch.ones_like(ids)), model(ids, torch.zeros_like(ids)), atol=1e-4)
    with pytest.raises(CourseError, match="shorten"):
        model(torch.ones(1, 17, dtype=torch.int64))


def test_rows_are_padded_on_the_right():
    assert padded([[1, 2, 3], [4]]).tolist() == [[1, 2, 3], [4, 0, 0]]
    with pytest.raises(CourseError):
        padded([])


class Counting(nn.Module):
    """Writes 5, 6, 7, … until 9, then the end; the probability of everything else is nearly 0."""

    def forward(self, ids):
        follows = torch.where(ids < 5, torch.tensor(5), torch.where(ids >= 9, torch.tensor(2), ids + 1))
        return 50.0 * nn.functional.one_hot(follows, 12)


def test_lines_end_at_the_end_or_at_the_length():
    assert sample_lines(Counting(), 3, 20, seed=0) == [[1, 5, 6, 7, 8, 9, 2]] * 3
    assert sample_lines(Counting(), 1, 4, seed=0) == [[1, 5, 6, 7]]


# ------------------------------------------------------------------------------------------------------- references


def test_both_directions_learn_what_fixes_the_neighbours():
    text = torch.tensor([[1 + (a + b) % 7 for b in range(6)] for a in range(7)])
    torch.manual_seed(0)
    model = ref.Elmo(8, 12, 0)
    optimizer, losses = torch.optim.Adam(model.parameters(), lr=0.02), []
    for _ in range(80):
        onwards, back, _ = model(text)
        losses.append(ref.elmo_loss(onwards, back, text, 0))
        optimizer.zero_grad()
        losses[-1].backward()
        optimizer.step()
    onwards, back, _ = model(text)
    assert (onwards[:, :-1].argmax(-1) == text[:, 1:]).all()
    assert (back[:, 1:].argmax(-1) == text[:, :-1]).all()
    assert losses[-1] < 0.2 * losses[0]


def test_slopes_are_held_to_what_small_steps_do():
    rng = torch.Generator().manual_seed(0)
    given = {name: torch.randn(shape, generator=rng) for name, shape in {"matrix": (3, 4), "vector": (4,)}.items()}

    def value(weights):
        return float((weights["matrix"] @ weights["vector"]).sin().sum())

    leaves = {name: tensor.clone().requires_grad_() for name, tensor in given.items()}
    (leaves["matrix"] @ leaves["vector"]).sin().sum().backward()
    slopes = {name: leaf.grad for name, leaf in leaves.items()}
    assert unlike_slopes(value, given, slopes, rng) < 0.1
    for wrong in ({name: 2 * slope for name, slope in slopes.items()}, {**slopes, "vector": 0 * slopes["vector"]}):
        assert unlike_slopes(value, given, wrong, rng) > 0.3


@pytest.mark.parametrize("slopes", [None, {}, {"w": 3}, {"w": torch.ones(2)}, {"w": torch.full((3,), math.nan)}])
def test_slopes_in_another_form_are_refused(slopes):
    with pytest.raises(CheckFailed):
        fitting(slopes, {"w": torch.zeros(3)})


def test_an_honest_model_is_called_a_cheat_no_more_often_than_promised():
    """Models are random distributions over 6 texts; the alarm is at 5 %, exact by summing over all pairs of texts."""
    rng = random.Random(3)
    for _ in range(50):
        p, q = ([x / sum(w) for x in w] for w in ([rng.expovariate(1) ** 2 for _ in range(6)] for _ in range(2)))
        alarm = sum(
            p[i] * p[j]
            for i in range(6)
            for j in range(6)
            if ref.cheats([-math.log(q[i]), -math.log(q[j])], [-math.log(p[i]), -math.log(p[j])], 0.05)
        )
        assert alarm <= 0.05


def test_a_reader_without_mask_is_caught_and_one_with_it_is_not():
    documents = corpus(0, 400)
    lines, fresh = [as_line(d) for d in documents], [as_line(d) for d in corpus("fresh", 60)]
    truth = [true_nats(line) for line in fresh]
    for causal in (True, False):
        torch.manual_seed(0)
        model, draw = Reader(VOCAB, LONGEST, width=32, layers=1, causal=causal), random.Random(0)
        optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
        for _ in range(120):
            ids = padded(draw.sample(lines, 16))
            loss = ref.causal_loss(model(ids), ids, PAD)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        ids = padded(fresh)
        with torch.no_grad():
            terms = -model(ids)[:, :-1].log_softmax(-1).gather(2, ids[:, 1:, None])[..., 0]  # (B, T-1, V) -> (B, T-1)
        nats = (terms * (ids[:, 1:] != PAD)).sum(1).tolist()
        assert ref.cheats(nats, truth) == (not causal)


def test_damage_is_for_ordinary_words_and_leaves_the_originals_alone():
    ids = padded([as_line(d) for d in corpus(1, 200)])
    given = ids.clone()
    x, y = ref.bert_mask(given, SPECIAL, 3, VOCAB, torch.Generator().manual_seed(7))
    assert torch.equal(given, ids)
    words = ~torch.isin(ids, torch.tensor(SPECIAL))
    assert torch.equal(x[~words], ids[~words]) and bool((y[~words] == -100).all())
    assert two_sided_p(int((y != -100).sum()), int(words.sum()), 0.15) > 1e-6


def test_pairs_are_balanced_and_have_no_positive_by_accident():
    documents = corpus(2, 300)
    pairs = ref.next_sentence_pairs(documents, CLS, SEP, random.Random(0))
    follows = [(a, b) for d in documents for a, b in pairwise(d)]
    assert len(pairs) == len(follows)
    for (ids, segments, label), (a, b) in zip(pairs, follows, strict=True):
        second = [i for i, s in zip(ids, segments, strict=True) if s == 1][:-1]
        assert ids[: len(a) + 2] == [CLS, *a, SEP] and (second == b) == bool(label)
    assert two_sided_p(sum(p[2] for p in pairs), len(pairs), 0.5) > 1e-6


def asks(make):
    return lambda *arguments: verdict(make, *arguments)


class Deaf(ref.PairClassifier):
    def forward(self, ids, segments):
        return self.head(self.reader.states(ids)[:, 0])


class Detached(ref.PairClassifier):
    def forward(self, ids, segments):
        with torch.no_grad():
            states = self.reader.states(ids, segments)
        return self.head(states[:, 0])


def test_the_judge_sees_what_reaches_a_reader():
    rng = torch.Generator().manual_seed(0)
    tables = {n: torch.randn(s, generator=rng) for n, s in (("word", (5, 6)), ("segment", (2, 6)), ("mixing", (4, 4)))}
    ids, upstream = torch.randint(0, 5, (2, 4), generator=rng), torch.randn(2, 2, generator=rng)
    segments = torch.tensor([[0, 0, 1, 1], [0, 1, 1, 1]])
    got = verdict(ref.PairClassifier, tables, None, ids, segments, upstream)
    moved = {name for name, value in tables.items() if not torch.equal(got["tables"][name], value)}
    assert moved == set(tables) and got["owned"]
    slopes = {name: value - got["tables"][name] for name, value in tables.items()}

    def value_of(other):
        logits = verdict(ref.PairClassifier, other, got["head"], ids, segments)["logits"]
        return float((logits * upstream).sum())

    assert unlike_slopes(value_of, tables, slopes, rng) < 0.05
    after = verdict(Detached, tables, None, ids, segments, upstream)["tables"]
    assert all(torch.equal(after[name], value) for name, value in tables.items())


def over_a_reader(B=3, T=4, D=6):
    rng = torch.Generator().manual_seed(1)
    shapes = {"word": (9, D), "segment": (2, D), "mixing": (T, T)}
    tables = {name: torch.randn(shape, generator=rng) for name, shape in shapes.items()}
    ids, segments = torch.randint(0, 9, (B, T), generator=rng), torch.randint(0, 2, (B, T), generator=rng)
    return Case((tables, ids, segments), setup={"seed": 5})


@pytest.mark.parametrize("rows", [1, 3])
def test_verdicts_are_read_and_trained_as_promised(rows):
    student, case = Reference({"PairClassifier": ref.PairClassifier}), over_a_reader(B=rows)
    assert reads(student, case, "PairClassifier") and trains(student, case, "PairClassifier")


def test_verdicts_without_segments_or_gradients_are_refused():
    with pytest.raises(CheckFailed, match="segments do not reach"):
        reads(Reference({"PairClassifier": Deaf}), over_a_reader(), "PairClassifier")
    with pytest.raises(CheckFailed, match="no gradient reaches the reader"):
        trains(Reference({"PairClassifier": Detached}), over_a_reader(), "PairClassifier")


TWO = [[[11], [12, 13]], [[14], [15], [16]]]


@pytest.mark.parametrize(
    ("broken", "sentence"),
    [
        (lambda ids, segments, label: (ids[1:], segments[1:], label), "begins with"),
        (lambda ids, segments, label: (ids[:-1], segments[:-1], label), r"must be B \[SEP\]"),
        (lambda ids, segments, label: (ids, segments[::-1], label), "segments are 0"),
        (lambda ids, segments, label: (ids, segments, 1 - label), "turned around"),
        (lambda ids, segments, label: (ids, segments, 0.5), "must be 1"),
    ],
)
def test_pairs_that_break_a_rule_are_refused(broken, sentence):
    case = Case((TWO, 1, 2))
    pairs = ref.next_sentence_pairs(*case.args, random.Random(3))
    assert pair_rules(case, pairs) == 3
    with pytest.raises(CheckFailed, match=sentence):
        pair_rules(case, [broken(*pair) for pair in pairs])


def test_draws_of_pairs_are_read_as_label_document_and_place():
    documents = [[[10 + 3 * d + i] for i in range(3)] for d in range(3)]
    first = [([1, 10, 2, b, 2], [0, 0, 0, 1, 1], label) for b, label in ((11, 1),)]
    second = ([1, 11, 2, 18, 2], [0, 0, 0, 1, 1], 0)  # the last sentence of the document after the next
    rest = [([1, a, 2, a + 1, 2], [0, 0, 0, 1, 1], 1) for a in (13, 14, 16, 17)]
    found = lots((documents, 1, 2), [*first, second, *rest])
    assert found["label"].tolist() == [[1, 0], [1, 1], [1, 1]]
    assert [found[name][0].tolist() for name in ("document", "place", "sentence")] == [[-1, 1], [-1, 2], [-1, 5]]
    assert reached(Case((documents, 1, 2)), [[*first, second, *rest]]) == [[18]]


@pytest.mark.slow
def test_a_classifier_learns_over_a_reader_of_the_judges():
    assert min(learned_side(asks(ref.PairClassifier), seed) for seed in range(4)) > 0.95
    assert learned_side(asks(Detached), 0, steps=60, tries=1) < 0.9


@pytest.mark.slow
def test_a_training_that_has_learned_its_task_ends():
    calls = []

    class Counting(ref.PairClassifier):
        def forward(self, ids, segments):
            calls.append(len(ids))
            return super().forward(ids, segments)

    assert learned_side(asks(Counting), 0) == 1.0
    assert len(calls) < 160  # two a step, of 150 steps


def test_spans_come_back_and_count_as_promised():
    rng = random.Random(5)
    for _ in range(400):
        n, rate, mean = rng.randint(0, 60), rng.uniform(0.02, 0.95), rng.uniform(1, 6)
        ids = [rng.randint(100, 120) for _ in range(n)]
        source, target = ref.t5_spans(ids, SENTINELS, rng, rate, mean)
        noise, spans = ref.span_counts(n, len(SENTINELS), rate, mean)
        assert ref.t5_restore(source, target, SENTINELS) == ids
        assert [t for t in source if t in SENTINELS] == SENTINELS[:spans]
        assert [t for t in target if t in SENTINELS] == SENTINELS[: spans + 1]
        assert len(target) == noise + spans + 1 and len(source) == n - noise + spans
        assert not any(a in SENTINELS and b in SENTINELS for a, b in pairwise(source))


def test_every_word_of_a_document_can_be_removed():
    text, rng = flat(corpus(3, 1)[0]), random.Random(0)
    marks = list(range(1000, 1000 + len(text)))  # one id per place, so that places show
    gone = {t for _ in range(600) for t in ref.t5_spans(marks, SENTINELS, rng)[1] if t >= 1000}
    assert gone == set(marks)


# --------------------------------------------------------------------------------------------- weights and answers


def test_the_key_follows_the_answer_and_not_its_comments():
    old, new = "def f(x):\n    return x + 1", "def f(x):\n    return x + 2"
    key = answer_key(["f"], [old])
    assert answer_key(["f"], [old, "def g():\n    pass"]) == key
    assert answer_key(["f"], [new, "# now right\n" + old.replace(" + ", "  +  ")]) == key
    assert answer_key(["f"], [old, new]) != key
    assert answer_key(["f"], ["%magic\n" + old]) != key


def test_the_key_follows_what_an_answer_uses_and_nothing_beside_it():
    f, helper = (
        "def f(x):\n    return h(x)\n\n\ndef beside(x):\n    return x",
        "h = lambda x: g(x)\ndef g(x):\n    return x",
    )
    key = answer_key(["f"], [helper, f])
    assert answer_key(["f"], [helper, f.replace("beside(x):", "beside(y):")]) == key
    assert answer_key(["f"], [helper, f, "x = 3"]) == key
    assert answer_key(["f"], [helper.replace("return x", "return x + 1"), f]) != key
    assert answer_key(["f"], [helper, f, "h = abs"]) != key


def test_weights_of_an_older_answer_are_not_used(tmp_path, capsys, monkeypatch):
    monkeypatch.delenv("COURSE_GRADING", raising=False)
    path, model = tmp_path / "bert.safetensors", nn.Linear(2, 2)
    monkeypatch.setattr("course_utils.checks.answers.definitions", lambda names, cells: "a = 1")
    save(path, model, texts_for(path, 6, ["bert_mask"]), [1.0])
    texts_for(path, 6, ["bert_mask"])
    assert path.is_file() and not capsys.readouterr().out
    monkeypatch.setattr("course_utils.checks.answers.definitions", lambda names, cells: "a = 2")
    texts_for(path, 6, ["bert_mask"])
    assert not path.exists() and "bert_mask" in capsys.readouterr().out
    path.write_bytes(b"no weights")
    monkeypatch.setenv("COURSE_GRADING", "1")
    texts_for(path, 6, ["bert_mask"])
    assert path.exists()  # a grader changes nothing


def test_an_open_exercise_leaves_no_bar(monkeypatch):
    bars = []
    monkeypatch.setattr("course_utils.lessons.probe_models.tqdm", lambda rows, **about: bars.append(about) or rows)

    def unsolved(batch):
        raise NotImplementedError

    model = nn.Linear(1, 1)
    with pytest.raises(NotImplementedError):
        train_by(model, unsolved, [[i] for i in range(40)], 3, 0)
    assert not bars
    assert len(train_by(model, lambda batch: model.weight.sum(), [[0]] * 40, 3, 0)) == 3 and len(bars) == 1


def test_batches_waste_little_on_padding_and_visit_every_line_once():
    lines = [[i, *[0] * (20 + i * 7 % 16)] for i in range(1000)]  # 21 to 36 words
    draw = _batches(lines, 32, 5)
    first, second = list(islice(draw, 32)), list(islice(draw, 32))
    for epoch in (first, second):
        assert sorted(line[0] for batch in epoch for line in batch) == list(range(1000))
    words, places = sum(len(line) for b in first for line in b), sum(len(b) * max(map(len, b)) for b in first)
    assert words > 0.95 * places
    mates = [{frozenset(line[0] for line in b) for b in epoch} for epoch in (first, second)]
    assert not mates[0] & mates[1]  # and not always with the same neighbours
    lengths = [len(b[0]) for b in first[:-1]]
    assert lengths != sorted(lengths)  # nor the short ones first
    assert first == list(islice(_batches(lines, 32, 5), 32)) != list(islice(_batches(lines, 32, 6), 32))
