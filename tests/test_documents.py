"""What README and the other documents claim about files, notebooks, commands and figures."""

import json
import pkgutil
import re
import subprocess

import pytest

from autograder.sandbox.remedies import STOPS
from autograder.source.tallies import BEGIN, END, current_readme
from course_utils.metrics import mean_interval
from tests.paths import ROOT
from tests.sources import course_sources

README = (ROOT / "README.md").read_text()
MEASURED = " ".join((ROOT / "docs" / "measurements.md").read_text().split())  # lines may break anywhere
COLUMNS = 120


def documents() -> list[str]:
    """Markdown files of the project that git knows or would know."""
    names = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "*.md"]
    found = subprocess.run(names, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\n")
    return [name for name in found if name and (ROOT / name).exists()]


def prose(text: str) -> list[str]:
    """Lines of a Markdown text that could be broken: no code, tables or pictures."""
    text = re.sub(r"^```.*?^```$", "", text, flags=re.M | re.S)
    return [line for line in text.splitlines() if not line.startswith(("|", "!"))]


def test_there_are_documents_to_look_at():
    assert {"README.md", "docs/architecture.md", "docs/measurements.md", "CHANGELOG.md"} <= set(documents())


@pytest.mark.parametrize("name", [name for name in documents() if name not in ("CHANGELOG.md", "docs/moved.md")])
def test_every_name_of_the_packages_is_there(name):
    text = re.sub(r"\S+://\S+", "", (ROOT / name).read_text())
    for dotted in set(re.findall(r"\b(?:course_utils|autograder|benchmarks)(?:\.[A-Za-z_]\w*)+", text)):
        if dotted.rpartition(".")[2] not in ("py", "toml", "json"):  # a file's name is looked at elsewhere
            pkgutil.resolve_name(dotted)


def test_the_doctors_table_is_the_present_one():
    shown = (ROOT / "docs" / "teaching.md").read_text()
    first = re.findall(r"^on   (.+?) {2,}(.+)$", shown, re.M)  # SECURITY.md has the whole table
    assert len(first) >= 2 and first == list(STOPS.items())[: len(first)]


@pytest.mark.parametrize("name", documents())
def test_every_link_and_picture_is_there(name):
    for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", (ROOT / name).read_text()):
        assert target.startswith("https://") or ((ROOT / name).parent / target).exists(), target


@pytest.mark.parametrize("name", documents())
def test_no_line_of_prose_has_120_characters(name):
    assert not [line for line in prose((ROOT / name).read_text()) if len(line) >= COLUMNS]


@pytest.mark.parametrize("name", documents())
def test_every_make_target_that_is_named_exists(name):
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), flags=re.M))
    assert set(re.findall(r"`make ([a-z-]+)", (ROOT / name).read_text())) <= targets


def test_what_moved_is_where_the_table_says():
    """The table is for people who look for an old file: the new one must be there, and the old one gone."""
    parts = re.split(r"^## `(\w+)`$", (ROOT / "docs" / "moved.md").read_text(), flags=re.M)[1:]
    rows = [(part, row) for part, text in zip(parts[::2], parts[1::2], strict=True) for row in text.splitlines()]
    moved = [(part, re.findall(r"`([^`]+)`", row)) for part, row in rows if row.startswith("| `")]
    assert len(moved) > 100
    for part, (old, *new) in moved:
        assert new and not (ROOT / part / old).exists(), old
        assert all((ROOT / part / one).exists() or (ROOT / one).exists() for one in new), old


def test_the_changelog_begins_with_the_version_of_pyproject():
    version = re.search(r'^version = "(.*)"', (ROOT / "pyproject.toml").read_text(), flags=re.M)[1]
    assert re.search(r"^## (\S+)", (ROOT / "CHANGELOG.md").read_text(), flags=re.M)[1] == version


def test_the_table_of_notebooks_is_generated():
    """Where its two comments are missing, build would have nothing to write."""
    found = current_readme(ROOT / "solutions", course_sources())
    assert found is not None and BEGIN in README and END in README
    assert found[1] == found[2], "run python -m autograder build"


def test_the_accuracies_are_those_on_file():
    summary = json.loads((ROOT / "benchmarks" / "results" / "calibration.json").read_text())["summary"]
    for condition in ("majority", "scratch", "pretrained", "other_world"):
        assert f"{100 * summary[condition]['mean']:.1f} %" in MEASURED, condition


def test_the_gain_of_notebook_05_is_that_on_file():
    worlds = json.loads((ROOT / "benchmarks" / "results" / "transfer_gain.json").read_text())["worlds"].values()
    means, lows = [100 * w["first"][0] for w in worlds], [100 * w["first"][1] for w in worlds]
    told = re.search(r"gains (\d+) to (\d+) points after the first epoch.*?lies above (\d+) points", MEASURED)
    assert len(worlds) == 5 and (round(min(means)), round(max(means))) == (int(told[1]), int(told[2]))
    assert min(lows) > int(told[3])
    rows = {
        "finetuned": [w["end"]["pretrained"] for w in worlds],
        "base frozen": [w["end"]["frozen base"] for w in worlds],
        "from scratch": [w["end"]["from scratch"] for w in worlds],
        "mean of the pretrained word vectors, logistic regression": [w["word_vectors"] for w in worlds],
        "the same, vectors never trained": [w["word_vectors_untrained"] for w in worlds],
        "bag of words": [w["bag_of_words"] for w in worlds],
    }
    for name, shares in rows.items():
        mean, low, high = (100 * x for x in mean_interval(shares))
        ends = f"{100 * min(shares):.0f} to {100 * max(shares):.0f} %"
        assert f"| {name} | {mean:.1f} % ({low:.1f} to {high:.1f}) | {ends} |" in MEASURED, name


def test_the_speeds_are_those_of_all_benchmarks_and_their_gates_were_passed():
    """No machine is left out: a result that is kept is told, the poorer ones too."""
    kept = sorted((ROOT / "benchmarks" / "results").glob("bench-cpu-*.json"))
    assert kept
    for path in kept:
        found = json.loads(path.read_text())
        assert found["gate"]["passed"] and found["machine"]["device"].split("(")[0].split()[0] in MEASURED
        for part in ("step", "evaluation", "corruption"):
            ours = next(row for name, row in found[part].items() if name in ("ours", "ours, bfloat16"))
            assert f"**{ours['times_faster']['median']:.1f}× (" in MEASURED, (path.name, part)


def test_the_time_to_accuracy_is_that_on_file():
    low, high = json.loads((ROOT / "benchmarks" / "results" / "time_to.json").read_text())["summary"]["seconds_to_aim"][
        1:
    ]
    assert f"interval {low:.0f} to {high:.0f}, five worlds" in MEASURED


def test_the_minutes_of_the_assignment_are_those_on_file():
    found = json.loads((ROOT / "benchmarks" / "results" / "assignment-cpu.json").read_text())
    told = {row["variant"]: row["test"] for row in found["runs"]}
    assert set(told) == {"scratch", "vanilla", "synthesizer"} and found["wall_s"] <= 300
    assert f"evaluation together: {found['wall_s'] / 60:.1f} minutes" in MEASURED
    assert (
        f"(vanilla {told['vanilla']:.0%}, synthesizer {told['synthesizer']:.0%} of test".replace("%", " %") in MEASURED
    )
