"""The wiki about other people: their names, this world's towns, and as many documents."""

from __future__ import annotations

from benchmarks.experiments.why_more import DISTANCE, other_people, towns
from course_utils.corpora.world import generate


def test_only_the_people_are_others():
    own, other = generate(7), generate(7 + DISTANCE)
    documents = other_people(7)
    assert len(documents) == len(other.wiki) == len(own.wiki)
    assert all(sum(town in line for town in towns(own)) == 1 for line in documents)
    names = {" ".join(q.text.split()[2:4]) for q in own.test}
    assert not any(name in line for name in names for line in documents)
    assert all(any(name in line for line in own.wiki) for name in names)
