"""Controls of the experiments that the notebooks quote: they change what they say, and nothing else."""

from __future__ import annotations

import json
import random

import torch

from benchmarks.claims.measure.place_heads import right_answers
from benchmarks.experiments import plain_reading
from benchmarks.experiments.variants import UNIFORM, UniformAttention
from benchmarks.experiments.why_controls import (
    DISTANCE,
    LONG,
    LONGER,
    Reading,
    controls,
    exposures,
    finetuned_longer,
    other_people,
    towns,
)
from course_utils.attention import attention_class
from course_utils.config import ModelConfig
from course_utils.corpora.world import generate


def test_only_the_people_are_others():
    own, other = generate(7), generate(7 + DISTANCE)
    documents = other_people(7)
    assert len(documents) == len(other.wiki) == len(own.wiki)
    assert all(sum(town in line for town in towns(own)) == 1 for line in documents)
    names = {" ".join(q.text.split()[2:4]) for q in own.test}
    assert not any(name in line for name in names for line in documents)
    assert all(any(name in line for line in own.wiki) for name in names)


def test_every_reading_has_files_of_its_own():
    kinds = [*controls(7), *exposures(7)]
    assert len({reading.name for reading in kinds}) == len(kinds) == 8
    assert Reading(7, strangers=True).wiki() == other_people(7) and Reading(7).wiki() == list(generate(7).wiki)


def test_uniform_attention_takes_the_plain_mean_of_the_past():
    torch.manual_seed(0)
    layer = UniformAttention(ModelConfig(5, 8, 1, 2, 6))
    x = torch.randn(3, 5, 6)
    past = layer.value(x).cumsum(1) / torch.arange(1, 6)[:, None]  # (B, T, D)
    assert torch.allclose(layer(x), layer.proj(past), atol=1e-6)
    assert {name for name, p in layer.named_parameters() if p.requires_grad} == {
        *("value.weight", "value.bias", "proj.weight", "proj.bias")
    }
    assert attention_class(UNIFORM) is UniformAttention


def test_a_head_for_each_place_looks_up_and_missing_places_cost_answers():
    assert right_answers(4, 8)["right"] == 1.0
    assert right_answers(4, 8, missing=4)["right"] < 0.4
    assert right_answers(4, 8, missing=2)["right"] < 0.75


def test_plain_readings_differ_in_form_or_world_alone_and_are_reported_by_arm(tmp_path):
    every = plain_reading.runs()
    assert len({run.name for run in every}) == len(every)
    for run in every[:2]:
        shares = {"train": 1.0, "dev": 0.5, "test": 0.25}
        (tmp_path / f"{run.name}.json").write_text(json.dumps({LONG: shares}))
    found = plain_reading.report(tmp_path)
    assert found["vanilla"]["lines"][LONG]["test"] == {"7000": 0.25}
    (tmp_path / "read.json").write_text(json.dumps(found))
    assert finetuned_longer(tmp_path / "read.json") == {key: {"7000": 0.25} for key in LONGER}
    assert finetuned_longer(tmp_path / "missing.json") == {}


def test_one_letter_of_the_surname_is_another():
    for place in (1, 2, -2, -1):
        asked = plain_reading.other_letter("Where was Ada Malter born?", place, random.Random(place))
        *start, surname, end = asked.split(" ")
        assert (start, end) == (["Where", "was", "Ada"], "born?")
        assert [k for k, (a, b) in enumerate(zip(surname, "Malter", strict=True)) if a != b] == [place % 6]
