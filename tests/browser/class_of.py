"""A made-up class for pictures of the report: forty students, sixteen exercises, everything that a page can hold."""

from __future__ import annotations

import random

from markupsafe import Markup

from autograder.reports.feedback import Row, number, status_tag
from autograder.reports.roll import Roll, StudentRow, Unplaced

EXERCISES = ("softmax", "scores", "mask", "attend", "multi_head", "positions", "layer_norm", "block", "count_parameters",
             "train_step", "sample_tokens", "perplexity", "ablation", "plot_loss", "why_scale", "why_mask")  # fmt: skip
FIRST = (
    "Ada",
    "Bela",
    "Chidi",
    "Dora",
    "Emil",
    "Fatou",
    "Gil",
    "Hana",
    "Ivo",
    "Jun",
    "Kim",
    "Lena",
    "Mio",
    "Nour",
    "Ola",
)
LAST = ("Adeyemi", "Bergström", "Castellanos-Rodríguez", "Dvořák", "Ek", "Fontaine", "García", "Horvat")


def row(draws: random.Random, exercise: str, skill: float, hardness: float) -> Row:
    """One exercise of somebody: the better and the easier, the likelier it is right."""
    share = 1.0 if draws.random() < skill - hardness + 0.5 else draws.choice((0.0, 0.0, 0.5))
    status = {1.0: "passed", 0.5: "partial"}.get(share, draws.choice(("failed", "error", "timeout", "unsolved")))
    waiting = exercise == "why_mask" and draws.random() < 0.2
    tag = status_tag("waiting" if waiting else "marked" if exercise.startswith("why") else status)
    hint = (
        ""
        if share == 1 or exercise.startswith("why")
        else draws.choice((f"{exercise}: the rows must sum to one", "check the shape"))
    )
    points = "–" if waiting else number(share * 2)
    return Row(exercise, exercise, tag.symbol, tag.words, tag.tone, points, "2", hint, "", False, Markup(""))


def made_up_class(people: int = 40, seed: int = 0) -> Roll:
    """A class with every state."""
    draws = random.Random(seed)
    hardness = {name: draws.random() for name in EXERCISES}
    students = []
    for number_ in range(people):
        skill = draws.random()
        rows = [row(draws, name, skill, hardness[name]) for name in EXERCISES]
        points = sum(float(one.points) for one in rows if one.points != "–")
        name = f"{FIRST[number_ % len(FIRST)]} {LAST[number_ % len(LAST)]}"
        one = StudentRow(f"s{number_:02}", rows, points, 32.0, sum(one.points == "–" for one in rows), name=name)
        if number_ % 9 == 4:
            one.late, one.share = "3 h 10 min", 0.9
            one.notes = [f"late: {one.late}; 90 % count", "the notebook's kernel died; the kernel was started again"]
        students.append(one)
    students += [StudentRow("kim", name="Kim Late-Riser"), StudentRow("lou", name="Lou Zip", reason="lou.zip: not sound"),
                 StudentRow("max", name="Max Ill", excused=True)]  # fmt: skip
    return Roll(students, [Unplaced("notes.txt", "is neither a zip, nor a notebook, nor a folder")], listed=True)
