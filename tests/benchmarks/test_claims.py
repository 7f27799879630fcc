"""The table of claims: it holds today, and each way in which it can stop to hold is noticed."""

from __future__ import annotations

import json

import pytest

from autograder.source.percent import read_source
from benchmarks.claims.__main__ import main
from benchmarks.claims.results import agrees, value_at
from benchmarks.claims.table import Claim, Other, read_table
from benchmarks.claims.units import units_of
from benchmarks.claims.verdicts import problems, sentences_left
from course_utils.errors import CourseError

SOURCE = """\
# %% [markdown]
# # A title with 90 %
#
# Plain words that state nothing. The new rule reached 93 % in eight runs.
#
# - It learns faster than the old one.
#
# <details><summary>Hint 1</summary>Most rules learn. Use 0.5 here.</details>
#
# $$ 5.5 \\cdot 3 $$

# %%
plots.show(fig, alt=f"Bars of two rules; the new one at {best}.")
"""
RESULT = {"runs": [{"new": 0.934, "old": 0.5}, {"new": 0.926, "old": 0.7}]}


@pytest.fixture
def units(tmp_path):
    (tmp_path / "01_toy.py").write_text(SOURCE)
    (tmp_path / "result.json").write_text(json.dumps(RESULT))
    return {"01_toy": units_of(read_source(tmp_path / "01_toy.py"))}


def claim(**changes):
    fields = {
        "notebook": "01_toy", "id": "new-rule", "status": "measured", "refuted_by": "the old rule", "seeds": 2,
        "says": ("The new rule reached 93 % in eight runs.", "It learns faster than the old one."),
        "which": "0 and 1", "interval": "range", "tool": "range", "command": "python -m x", "result": "result.json",
        "samples": "runs", "numbers": {"93 %": "mean:runs.*.new"}, "holds": (("max:runs.*.old", 0.0, 0.9),),
    }  # fmt: skip
    return Claim(**{**fields, **changes})


OTHERS = (
    Other("01_toy", "task", ("Use 0.5 here.",)),
    Other("01_toy", "own run", ("Bars of two rules; the new one at {…}.",)),
)


def found(units, tmp_path, *entries, others=OTHERS):
    return problems(units, [*entries, *others], tmp_path)


def test_a_table_that_says_what_notebook_and_result_say_has_no_problem(units, tmp_path):
    assert found(units, tmp_path, claim()) == []


def test_hints_are_read_for_numbers_and_figures_always(units):
    entered = [sentence for unit in units["01_toy"] for sentence in unit.to_enter()]
    assert entered == [
        "The new rule reached 93 % in eight runs.",
        "- It learns faster than the old one.",
        "Use 0.5 here.",
        "Bars of two rules; the new one at {…}.",
    ]


@pytest.mark.parametrize(
    ("source", "entered"),
    [
        ("# %% [markdown]\n# Three of ten phrases are turned.", ["Three of ten phrases are turned."]),
        ("# %% [markdown]\n# It is an eighth as long.", ["It is an eighth as long."]),
        ("# %% [markdown]\n# Four fifths are kept.", ["Four fifths are kept."]),
        ("# %% [markdown]\n# It is off by a factor of 6.", ["It is off by a factor of 6."]),
        ("# %% [markdown]\n# It writes about 40 words.", ["It writes about 40 words."]),
        ("# %% [markdown]\n# The old one does just as well.", ["The old one does just as well."]),
        (
            "# %% [markdown]\n# For x < 0 (8 % of the <b>draws</b>) it fails.",
            ["For x < 0 (8 % of the <b>draws</b>) it fails."],
        ),
        ("# %% [markdown]\n# It is one of the rules.", []),
        ("# %%\nprint(f'{share:.0%} of pairs (50 % is chance)')", ["{…} of pairs (50 % is chance)"]),
        ("# %%\nx = 1  # 92 % of the draws", ["92 % of the draws"]),
        ("# %%\nprint(f'{x} is better')", []),
    ],
)
def test_kinds_of_sentences_that_must_be_entered(tmp_path, source, entered):
    (tmp_path / "01_toy.py").write_text(source + "\n")
    found = units_of(read_source(tmp_path / "01_toy.py"))
    assert [sentence for unit in found for sentence in unit.to_enter()] == entered


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"says": ("The new rule reached 94 % in eight runs.", "It learns faster")}, "no longer in the notebook"),
        ({"says": ("The new rule reached 93 % in eight runs.",)}, "in no claim: “- It learns faster"),
        ({"seeds": 3}, "rests on 3 seeds, but result.json has 2"),
        ({"result": "lost.json"}, "cannot be read"),
        ({"result": ""}, "names no result"),
        ({"command": ""}, "names no command"),
        ({"numbers": {"93 %": "mean:runs.*.old"}}, "says 93 %, but result.json has 0.6"),
        ({"numbers": {"93 %": "mean:runs.*.none"}}, "nothing at"),
        ({"numbers": {"95 %": "mean:runs.*.new"}}, "is in none of its quotes"),
        ({"numbers": {}}, "93 in “The new rule"),
        ({"numbers": {}, "holds": ()}, "names no number and no condition"),
        ({"holds": (("max:runs.*.old", 0.0, 0.6),)}, "needs max:runs.*.old between 0 and 0.6"),
        ({"refuted_by": ""}, "says what would refute it"),
        ({"status": "open"}, "is open says why"),
        ({"status": "withdrawn", "note": "untrue"}, "was withdrawn and stands in the notebook"),
    ],
)
def test_what_no_longer_holds_is_said(units, tmp_path, changes, says):
    assert any(says in problem for problem in found(units, tmp_path, claim(**changes)))


def test_a_figure_must_be_entered_and_a_name_twice_is_refused(units, tmp_path):
    assert any("Bars of two rules" in one for one in found(units, tmp_path, claim(), others=OTHERS[:1]))
    assert any("used twice" in one for one in found(units, tmp_path, claim(), claim()))
    assert any(
        "no notebook 09_none" in one for one in found(units, tmp_path, claim(), Other("09_none", "task", ("x",)))
    )


def test_what_is_left_to_enter_is_printed_ready_for_the_table(units):
    assert sentences_left(units, [claim(), OTHERS[1]], "01") == "  '''Use 0.5 here.''',"


@pytest.mark.parametrize(
    ("printed", "value", "right"),
    [
        ("93 %", 0.934, True), ("93 %", 0.936, False), ("1,500", 1500.4, True), ("1,500", 1501, False),
        ("0.35", 0.354, True), ("0.35", 0.356, False), ("−14", -14.2, True), ("about 40 %", 0.43, True),
        ("about 40 %", 0.45, False), ("many", 3, False), (".97", 0.97, True),
    ],
)  # fmt: skip
def test_a_printed_number_is_right_to_its_last_digit(printed, value, right):
    assert agrees(printed, value) is right


def test_places_in_results():
    assert value_at({"a.b": [1, 3]}, "max:a\\.b.*") == 3
    for place in ("runs", "runs.7.new", "runs.0.none", "best:runs.*.new"):
        with pytest.raises(LookupError):
            value_at(RESULT, place)


@pytest.mark.parametrize(
    "text", ["[[claim]", "[[clam]]\nid = 1", "[[other]]\nreason = 'mood'\nsays = []", "[[claim]]\nseed = 1"]
)
def test_a_table_that_cannot_be_read_is_a_sentence(tmp_path, text):
    (tmp_path / "01_toy.toml").write_text(text)
    with pytest.raises(CourseError, match=r"01_toy\.toml"):
        read_table(tmp_path)


def test_notebooks_table_and_results_agree(capsys):
    assert main(["--check"]) == 0, capsys.readouterr().err
    assert capsys.readouterr().out == ""


def test_the_command_prints_the_table_and_what_programs_read(capsys):
    assert main([]) == 0
    text = capsys.readouterr().out
    assert "| 05_transfer | word-vectors | measured |" in text
    assert main(["--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["problems"] == [] and len(found["entries"]) > 80
    assert main(["--todo", "05"]) == 0 and not capsys.readouterr().out.strip()


def test_a_sentence_that_is_changed_ends_with_exit_code_1(monkeypatch, capsys):
    table = [entry for entry in read_table() if not (isinstance(entry, Claim) and entry.id == "word-vectors")]
    monkeypatch.setattr("benchmarks.claims.__main__.read_table", lambda: table)
    assert main(["--check"]) == 1
    assert "05_transfer" in capsys.readouterr().err
