"""The contract of span corruption: it lets every right answer pass and names the mistake of every wrong one."""

from __future__ import annotations

import random
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
import torch
from scipy import stats

from autograder.source.covered import declaration
from autograder.source.percent import read_source
from course_utils.checks.bounds import far_from_uniform, improbable, mean_radius, surely_above
from course_utils.checks.selfcheck import Student, StudentError
from course_utils.checks.span_corruption import ALPHA, draws, first_violation
from course_utils.errors import CourseError
from course_utils.vocab import MASK, PAD, Vocabulary
from solutions.reference.span_corruption import (
    CharCorruptionDataset,
    corrupt_batch,
    corrupted_epochs,
    corruption_table,
    longest_kept,
)
from tests.paths import MISCONCEPTIONS, ROOT

FOLDER = MISCONCEPTIONS / "07_knowledge" / "span_corruption"
LISTED = (  # defects that a public test suite let pass, then those that it found
    *("start_first", "start_last", "start_centred", "length_fixed", "length_two_values", "length_independent"),
    *("kept_20_or_40", "kept_minimum_16", "kept_end_excluded", "kept_up_to_block", "no_padding", "same_every_epoch"),
    *("int32", "kept_fixed", "kept_minimum_1", "mean_eighth", "mean_three_eighths", "mean_half", "pieces_swapped"),
    *("sentinel_missing", "content_in_the_middle", "content_dropped", "content_reversed", "y_not_shifted"),
    *("y_shifted_by_2", "index_ignored", "loss_masked"),
)

# Right answers that the quick tests run; each takes seconds, the others are slow tests
QUICK = ("right_plain", "right_two_lengths")
# Wrong answers so near to a right one that thousands of the grader's draws are needed
NEAR = ("mean_030", "never_in_the_first_tenth_of_long_texts")


def header(path, key):
    found = [line.split(":", 1)[1].strip() for line in path.read_text().split("\n") if line.startswith(f"# {key}:")]
    return found[0] if found else ""


def answers(expect):
    return sorted((path for path in FOLDER.glob("*.py") if header(path, "expect") == expect), key=lambda p: p.stem)


def defined(path):
    names = {"random": random, "np": np, "torch": torch, "PAD": PAD, "MASK": MASK}
    exec(compile(path.read_text(), path.name, "exec"), names)
    return names["CharCorruptionDataset"]


def opener(dataset_class):
    """The class as the suite wants it, with exceptions as a notebook's `student` would deliver them."""

    def opened(documents, vocab, block_size, seed):
        dataset = dataset_class(documents, vocab, block_size, seed)

        def take(items):
            try:
                return draws(dataset, items)
            except Exception as error:
                raise StudentError(type(error).__name__, str(error)) from error

        return take, dataset.reseed

    return opened


def test_all_27_listed_defects_are_here():
    assert len(LISTED) == 27
    assert set(LISTED) <= {path.stem for path in answers("reject")}


@pytest.fixture(scope="module")
def declared():
    source = read_source(ROOT / "solutions" / "07_knowledge.py")
    return declaration(next(c for c in source.cells if (c.role, c.exercise) == ("check", "span_corruption")))


def lost(declared, dataset_class, seed, *, small=False):
    """What is broken, by sentence."""
    student = Student(lambda: {"CharCorruptionDataset": dataset_class})
    for number in range(len(declared.listed())):
        for trial in declared.trials(number, seed, small=small):
            answer = trial.run(student)
            if not answer.kept:
                return str(answer.problem)
    return ""


@pytest.mark.parametrize("path", answers("reject"), ids=lambda p: p.stem)
def test_every_defect_is_found_among_the_visible_draws(path, declared):
    assert bool(lost(declared, defined(path), 0, small=True)) == (path.stem not in NEAR)


@pytest.mark.slow
def test_every_defect_is_found_with_a_seed_of_its_own(declared):
    """The judge of all answers on file takes three others."""
    assert not [path.stem for path in answers("reject") if not lost(declared, defined(path), 1)]


every_right_answer = pytest.mark.parametrize(
    "path",
    [
        pytest.param(path, marks=[] if path.stem in QUICK else pytest.mark.slow, id=path.stem)
        for path in answers("accept")
    ],
)


@every_right_answer
def test_right_answers_written_differently_keep_every_promise(path, declared):
    assert lost(declared, defined(path), 2) == ""


@pytest.mark.slow
def test_no_false_alarm_in_20_fresh_seeds(declared):
    """Of every check, 1,000 seeds: ``make seed-sweep``."""
    assert not [seed for seed in range(20) if lost(declared, CharCorruptionDataset, seed)]


@every_right_answer
def test_right_answers_written_differently_pass_the_suite_of_version_0_1(path):
    assert len(answers("accept")) >= 5
    assert first_violation(opener(defined(path)), random.Random(2), 6000) is None


@pytest.mark.parametrize("seed", range(4))
def test_the_reference_passes(seed):
    assert first_violation(opener(CharCorruptionDataset), random.Random(seed)) is None


class Batched:
    """The vectorised version behind the same interface."""

    def __init__(self, documents, vocab, block_size, seed):
        self.table, self.lengths = corruption_table(documents, vocab, block_size)
        self.block_size, self.generator = block_size, torch.Generator().manual_seed(seed)

    def take(self, items):
        rows = torch.tensor(items)
        return corrupt_batch(self.table, self.lengths, self.block_size, self.generator, rows)


def batched(documents, vocab, block_size, seed):
    made = Batched(documents, vocab, block_size, seed)
    return made.take, made.generator.manual_seed


@pytest.mark.parametrize("seed", range(4))
def test_the_batched_version_passes_the_same_suite(seed):
    assert first_violation(batched, random.Random(seed)) is None


@pytest.mark.slow
def test_the_suite_of_version_0_1_raises_no_false_alarm_in_200_fresh_seeds():
    wrong = [seed for seed in range(1000, 1200) if first_violation(batched, random.Random(seed))]
    assert not wrong


def exact_distribution(length, least, longest):
    """P(kept, content, start) of a document of ``length`` characters, of which least to longest are kept, by counting."""
    law: Counter = Counter()
    for drawn in range(least, longest + 1):
        kept = min(drawn, length)
        most = max(1, kept // 2 - 1)
        for n in range(1, most + 1):
            for start in range(kept - n + 1):
                law[kept, n, start] += Fraction(1, (longest - least + 1) * most * (kept - n + 1))
    return law


@pytest.mark.parametrize("which", ["items", "batch", "bounded batch"])
def test_both_versions_have_exactly_the_stated_distribution(which):
    text, T, N = "abcdefghijkl", 16, 20_000
    vocab = Vocabulary.from_text(text)
    bounds = (7, 10) if which == "bounded batch" else (4, longest_kept(T))
    law = exact_distribution(len(text), *bounds)
    assert sum(law.values()) == 1
    if which == "items":
        X, Y = draws(CharCorruptionDataset([text], vocab, T, seed=3), [0] * N)
    else:
        rows = torch.zeros(N, dtype=torch.long)
        given = {"kept_between": bounds} if which == "bounded batch" else {}
        X, Y = corrupt_batch(*corruption_table([text], vocab, T), T, torch.Generator().manual_seed(3), rows, **given)
    seen = Counter(read(s) for s in torch.cat([X, Y[:, -1:]], 1).tolist())
    assert set(seen) <= set(law)
    assert not [cell for cell, p in law.items() if improbable(seen[cell], N, float(p), 1e-6 / len(law))]


def read(s):
    first, second = (k for k, v in enumerate(s) if v == 1)
    end = s.index(0) if 0 in s else len(s)
    n = end - second - 1
    return end - 2, n, first


def test_batches_of_mixed_and_empty_documents_put_together_again():
    texts = ["", "a", "ab", "abcd", "abcdefgh" * 30, "hgfedcba"]
    vocab = Vocabulary.from_text("abcdefgh")
    epochs = corrupted_epochs(texts, vocab, 32, seed=5)
    for X, Y in (next(epochs) for _ in range(50)):
        assert X.shape == Y.shape == (len(texts), 32) and X.dtype == Y.dtype == torch.int64
        assert torch.equal(X[:, 1:], Y[:, :-1])
        for text, x, y in zip(texts, X, Y, strict=True):
            before, after, content = vocab.decode([*x.tolist(), int(y[-1])]).rstrip(PAD).split(MASK)
            assert text.startswith(before + content + after)
            assert len(before + content + after) >= min(4, len(text))


def test_epochs_differ_and_come_again_from_their_seed():
    vocab = Vocabulary.from_text("abcdefgh")
    first, again, other = (corrupted_epochs(["abcdefgh" * 5] * 4, vocab, 32, seed=s) for s in (1, 1, 2))
    a, b = next(first), next(first)
    assert not torch.equal(a[0], b[0])
    assert torch.equal(a[0], next(again)[0]) and not torch.equal(a[0], next(other)[0])


@pytest.mark.parametrize("bounds", [(3, 10), (10, 9), (4, 15)])
def test_bounds_of_what_is_kept_are_those_of_the_contract(bounds):
    vocab = Vocabulary.from_text("abc")
    with pytest.raises(CourseError, match="cannot be kept in a block of 16"):
        corrupt_batch(*corruption_table(["abc"], vocab, 16), 16, torch.Generator(), kept_between=bounds)


def test_too_few_draws_and_too_small_blocks_are_refused():
    with pytest.raises(CourseError, match="3,000"):
        first_violation(opener(CharCorruptionDataset), random.Random(0), 100)
    with pytest.raises(CourseError, match="at least 8"):
        CharCorruptionDataset(["abc"], Vocabulary.from_text("abc"), 7)


def test_unsolved_stays_unsolved():
    class Unsolved(CharCorruptionDataset):
        def __getitem__(self, index):
            raise NotImplementedError

    with pytest.raises(StudentError) as error:
        first_violation(opener(Unsolved), random.Random(0))
    assert error.value.unsolved


# ------------------------------------------------------------------------------------------------------------ bounds


@pytest.mark.parametrize("n,p", [(40, 0.5), (300, 0.02), (4000, 1 / 109)])
def test_chernoff_never_calls_improbable_what_the_exact_tail_does_not(n, p):
    law = stats.binom(n, p)
    flagged = [k for k in range(n + 1) if improbable(k, n, p, ALPHA)]
    assert flagged and all((law.cdf(k) if k < n * p else law.sf(k - 1)) < ALPHA for k in flagged)


def test_distance_from_uniform():
    rng = np.random.default_rng(7)
    assert not any(far_from_uniform(rng.random(500).tolist(), 1e-6) for _ in range(200))
    assert far_from_uniform((rng.random(500) ** 1.6).tolist(), 1e-6)
    steps = [(k + 1) / 10 for k in range(10)] * 60
    assert not far_from_uniform(steps, 1e-6, cells=10)
    assert far_from_uniform([s for s in steps if s < 0.85], 1e-6, cells=10)
    assert not far_from_uniform([], 1e-6)


def test_bernstein_radius_covers_the_mean():
    rng = np.random.default_rng(8)
    misses = 0
    for _ in range(400):
        values = torch.tensor(rng.beta(2, 6, 300))
        misses += abs(float(values.mean()) - 0.25) > mean_radius(values, 0.01)
    assert misses == 0  # the bound is loose: 1 % is the most, and in practice it does not happen
    assert mean_radius(torch.tensor(rng.beta(2, 6, 3000)), 1e-7) < 0.03
    assert mean_radius(torch.zeros(1), 0.1) == float("inf")


def test_a_share_needs_a_probability():
    with pytest.raises(CourseError, match="0 < p < 1"):
        improbable(1, 2, 1.0, 0.1)


def test_a_bet_against_the_mean_is_seldom_won_by_chance_and_often_with_a_cause():
    """2,000 samples of 400 uniform values of mean 0, alpha 0.05; then 200 samples with a mean of 0.1. Seed 5."""
    rng = np.random.default_rng(5)
    by_chance = sum(surely_above(torch.tensor(rng.uniform(-0.5, 0.5, 400)), 0.05, -0.5) for _ in range(2000))
    assert by_chance <= 2000 * 0.05
    found = sum(surely_above(torch.tensor(rng.uniform(-0.4, 0.6, 400)), 1e-6, -0.5) for _ in range(200))
    assert found >= 150
    assert not surely_above(torch.zeros(0), 0.5, -1.0)
    assert not surely_above(torch.full((10_000,), -0.01), 1e-6, -0.5)
    for values, least in ((torch.tensor([-0.7]), -0.5), (torch.tensor([0.1]), 0.0)):
        with pytest.raises(CourseError):
            surely_above(values, 0.05, least)
