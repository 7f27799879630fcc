"""The measurements behind the claims: exact readers, controls that change one thing, and parts measured alone."""

from __future__ import annotations

import json
import math
import random

import pytest
import torch

from benchmarks.claims.measure import __main__ as command
from benchmarks.claims.measure.counts_alone import counted
from benchmarks.claims.measure.n06_pretraining import bare_mixture, by_prefix
from benchmarks.claims.measure.n07_knowledge import paired, ranked, sign_flips
from benchmarks.claims.measure.reading_maps import chosen_numbers, reads_its_digit
from benchmarks.claims.measure.unknown_sides import Said, excess, parsed
from benchmarks.experiments import unseen_names
from course_utils.corpora import reviews
from course_utils.corpora.numbers import EOS, PAD, TAGS, WORDS, words_of
from course_utils.corpora.stories import CLS, SEP, TASKS, answer_of, encode, senses
from course_utils.corpora.world import generate
from course_utils.errors import CourseError
from solutions.reference import probes

WORDS_OF = reviews.Words(("bad", "poor"), ("good", "fine"), (), ())


def test_a_review_costs_a_reader_without_sides_what_its_words_say():
    said = [Said(0, 0, 1, 1), Said(1, 1, 1, 1), Said(2, 2, -1, -1)]
    alone, remembers = excess(said, verdict=2)
    assert alone == pytest.approx(2 * math.log(2) + math.log(0.85))  # three words, of which one tells the label
    assert remembers == pytest.approx(2 * math.log(2) + math.log(0.85))  # nothing comes twice
    again = [Said(0, 0, 1, 1), Said(1, 0, 1, 1), Said(2, 0, 1, 1)]
    assert excess(again, verdict=2)[1] == pytest.approx(0.0)  # only "no sentence is turned" fits


def test_roles_are_read_off_the_phrase():
    text = "the plot is not only good but fine . its tone was not bad or poor . in short , far from poor ."
    text += (
        " the hero is not fine but bad . the title is good , not poor . as for the pace , anything but good , fine ."
    )
    pieces = " ".join(word if word in ".,:" else "▁" + word for word in text.split())
    said, verdict = parsed(pieces, WORDS_OF)
    assert verdict == 2
    assert [one.role for one in said] == [1, 1, -1, -1, -1, -1, 1, 1, -1, -1, -1]


def test_every_sentence_of_the_generator_is_read_as_it_was_meant():
    corpus = reviews.generate("a test", n_unlabelled=300)
    for review in corpus.unlabelled:
        said, verdict = parsed(review.text, corpus.words)
        stated = {one.sentence: set() for one in said}
        for one in said:
            stated[one.sentence].add(one.side * one.role)
        assert all(len(sides) == 1 for sides in stated.values())
        assert stated[verdict] == {1 if review.label else -1}
        assert sum(sides != stated[verdict] for sides in stated.values()) <= 1


def test_the_control_without_prefixes_changes_nothing_else():
    sentences = senses("a test", 5)
    both, bare = (make(sentences, random.Random(3)) for make in (probes.mixture, bare_mixture))
    assert [target for _, target in both] == [target for _, target in bare]
    assert all(short == [CLS, *long[2:]] for (long, _), (short, _) in zip(both, bare, strict=True))


class _Obeys:
    """Answers the question whose prefix it is given, and "kind" without one."""

    def states(self, source):
        return source

    def decode(self, states, source, target):
        logits = torch.zeros(*target.shape, 200)
        for row, ids in enumerate(source.tolist()):
            ids = [i for i in ids if i]
            named = next((task for task in TASKS if encode(task)[0] == ids[1]), None)
            sentence = ids[2:-1] if named else ids[1:-1]
            answer = [*encode(answer_of(named or "kind", sentence)), SEP, SEP, SEP]
            logits[row, -1, answer[target.shape[1] - 1]] = 1.0
        return logits


def test_shares_by_prefix_count_both_answers():
    found = by_prefix(_Obeys(), seed=1)
    assert all(found[task]["own"] == 1.0 and found[task]["other, the other task's answer"] == 1.0 for task in TASKS)
    assert found["kind"]["none"] == 1.0 and found["who"]["none, the other task's answer"] == 1.0


class _ReadsPlaces:
    """Gives each word a probability that depends on the digit at one place alone: the meant one, or always the first."""

    def __init__(self, first_only: bool) -> None:
        self.first_only = first_only

    def __call__(self, source, given):
        language = next(name for name, tag in TAGS.items() if tag == int(given[0, 0]))
        order = [0, 0, 1, 1, *((2, 3) if language == "en" else (3, 2, 2)), 0, 0, 0][: given.shape[1]]
        order = [0] * len(order) if self.first_only else order
        return torch.stack([torch.arange(len(WORDS)) * float(source[0, place]) for place in order])[None] * 0.01


def test_maps_tell_a_reader_of_places_from_another():
    different, twice = chosen_numbers()
    assert all(len(set(str(n))) == 4 for n in different) and all(len(set(str(n))) == 3 for n in twice)
    assert all(len(words_of(n, "de")) == 7 and len(words_of(n, "en")) == 6 for n in [*different, *twice])
    assert reads_its_digit(_ReadsPlaces(first_only=False), different[:3]) == 1.0
    assert reads_its_digit(_ReadsPlaces(first_only=True), different[:3]) == 0.25
    assert PAD == 0 and EOS == 1


def test_counts_forget_the_order_and_tell_the_sides_apart():
    words = reviews.Words(("garun",), ("tavik",), (), ())
    texts = ["▁far ▁from ▁tavik , ▁not ▁garun", "▁not ▁tavik , ▁far ▁from ▁garun", "▁far ▁from ▁garun , ▁not ▁garun"]
    x, y = counted([reviews.Review(text, k % 2, 0.0) for k, text in enumerate(texts)], words, ["▁far", "▁not"])
    assert x.tolist() == [[1, 1, 1, 1], [1, 1, 1, 1], [2, 0, 1, 1]] and y.tolist() == [0, 1, 0]


def test_one_part_is_measured_and_the_others_stay(tmp_path, monkeypatch):
    path = tmp_path / "05_transfer.json"
    path.write_text(json.dumps({"machine": {"threads": 1}, "arms": 3}))
    monkeypatch.setattr(command, "OUT", tmp_path)
    monkeypatch.setattr("benchmarks.claims.measure.n05_transfer.PARTS", {"unknown_sides": lambda: {"0": 0.1234567}})
    assert command.main(["05", "--part", "unknown_sides"]) == 0
    found = json.loads(path.read_text())
    assert found["arms"] == 3 and found["unknown_sides"] == {"0": 0.12346} and found["machine"] == {"threads": 1}
    assert set(found["parts"]["unknown_sides"]) == {"machine", "cpu_seconds"}
    with pytest.raises(CourseError, match="no part nothing; there are unknown_sides"):
        command.main(["05", "--part", "nothing"])


def test_names_are_changed_in_one_place_or_share_nothing():
    rng, name = random.Random(1), "Anna Bolder"
    last, first, other = (change(name, rng) for change in unseen_names.CHANGES.values())
    assert last[:-1] == name[:-1] and last != name
    assert first.split()[0] == "Anna" and first[6:] == name[6:] and first != name
    assert other.split()[1] == "Bolder" and other != name
    world = generate(5)
    names = [person.name for person in world.people]
    parts = {part[i : i + 3].lower() for one in names for part in one.split() for i in range(len(part) - 2)}
    for one in unseen_names.strange(names, 50, rng):
        assert not any(piece in one.lower() for piece in parts)


@pytest.mark.slow
def test_a_model_that_answers_by_likeness_is_told_from_one_that_does_not():
    world = generate(5)
    people = {person.name: person.town for person in world.people if person.town is not None}

    def by_surname(names):
        return [people[unseen_names.nearest(name, list(people))[0]] for name in names]

    found = unseen_names.measured(world, by_surname, seed=0)
    assert found["right"] == 1.0
    assert found["changed"]["last letter"]["same"] > 0.8 > 0.2 > found["changed"]["last letter"]["control"]
    assert found["changed"]["first name"]["same"] == 1.0
    assert found["never"]["surname"] == 1.0 > 0.5 > found["never"]["surname, control"]
    always = unseen_names.measured(world, lambda names: [next(iter(people.values()))] * len(names), seed=0)
    assert always["never"]["commonest answer"] == 1.0 and always["never"]["different"] == 1
    assert always["never"]["surname"] == pytest.approx(always["never"]["surname, control"])
    assert always["changed"]["last letter"]["control"] == 1.0  # so "the same" says nothing there


def test_edit_distance():
    assert unseen_names.distance("kolder", "bolder") == 1 and unseen_names.distance("abc", "") == 3


def test_differences_over_worlds_are_tested_exactly():
    assert sign_flips([5, 9, 40]) == 1 / 8 and sign_flips([-5, -9]) == 1.0 and sign_flips([0, 0]) == 1.0
    assert sign_flips([3, -1]) == 2 / 4  # sums 4, 2, -2, -4; the sum is 2
    found = paired({"1": 0.9, "2": 0.8, "3": 0.7}, {"1": 0.1, "2": 0.2, "4": 0.0})
    assert found["worlds"] == ["1", "2"] and found["mean"] == pytest.approx(0.7) and found["sign_flips"] == 0.25
    low, high = found["interval"]  # both draws the world with 0.6, or with 0.8, and people below or above its mean
    assert 0.5 < low < 0.6 and 0.8 < high < 0.9
    assert found["fisher"]["1"] < found["fisher"]["2"] < 1e-10
    assert ranked([0.9, 0.8], [0.1])["chance"] == pytest.approx(1 / 3) and ranked([0.9, 0.1], [0.1])["chance"] == 1.0
