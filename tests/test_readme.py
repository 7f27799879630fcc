"""What README claims about files, notebooks and commands."""

import json
import re

from autograder.source.build import read_sources
from autograder.source.percent import total_points
from tests.paths import ROOT

README = (ROOT / "README.md").read_text()


def test_every_link_and_picture_is_there():
    for target in re.findall(r"\]\(([^)#]+)\)", README):
        assert target.startswith("https://") or (ROOT / target).exists(), target


def test_the_table_of_notebooks_is_that_of_the_sources():
    rows = dict(re.findall(r"^\| (\d\d) [^|]*\| (\d+|–) \|", README, flags=re.M))
    points = {s.name[:2]: total_points(s.cells) for s in read_sources(ROOT / "solutions")}
    assert set(rows) == set(points)
    assert {k: 0 if v == "–" else int(v) for k, v in rows.items()} == points


def test_every_make_target_that_is_named_exists():
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), flags=re.M))
    assert set(re.findall(r"`make ([a-z]+)", README)) <= targets


def test_the_accuracies_are_those_on_file():
    summary = json.loads((ROOT / "benchmarks" / "results" / "calibration.json").read_text())["summary"]
    for arm in ("majority", "scratch", "pretrained", "other_world"):
        assert f"{100 * summary[arm]['mean']:.1f} %" in README, arm


def test_the_gain_of_notebook_05_is_that_on_file():
    worlds = json.loads((ROOT / "benchmarks" / "results" / "transfer_gain.json").read_text())["worlds"].values()
    means, lows = [100 * w["first"][0] for w in worlds], [100 * w["first"][1] for w in worlds]
    told = re.search(r"gains (\d+) to (\d+) points after the first epoch.*?lies above (\d+) points", README, flags=re.S)
    assert len(worlds) == 5 and (round(min(means)), round(max(means))) == (int(told[1]), int(told[2]))
    assert min(lows) > int(told[3])


def test_the_speeds_are_those_of_all_benchmarks_and_their_gates_were_passed():
    """No machine is left out: a result that is kept is told, the poorer ones too."""
    kept = sorted((ROOT / "benchmarks" / "results").glob("bench-cpu-*.json"))
    assert kept
    for path in kept:
        found = json.loads(path.read_text())
        assert found["gate"]["passed"] and found["machine"]["device"].split("(")[0].split()[0] in README
        for part in ("step", "evaluation", "corruption"):
            ours = next(row for name, row in found[part].items() if name in ("ours", "ours, bfloat16"))
            assert f"**{ours['times_faster']['median']:.1f}× (" in README, (path.name, part)


def test_the_time_to_accuracy_is_that_on_file():
    low, high = json.loads((ROOT / "benchmarks" / "results" / "time_to.json").read_text())["summary"]["seconds_to_aim"][
        1:
    ]
    assert f"interval {low:.0f} to {high:.0f}, five worlds" in README


def test_the_minutes_of_the_assignment_are_those_on_file():
    found = json.loads((ROOT / "benchmarks" / "results" / "assignment-cpu.json").read_text())
    told = {row["variant"]: row["test"] for row in found["runs"]}
    assert set(told) == {"scratch", "vanilla", "synthesizer"} and found["wall_s"] <= 300
    assert f"evaluation together: {found['wall_s'] / 60:.1f} minutes" in README
    assert f"(vanilla {told['vanilla']:.0%}, synthesizer {told['synthesizer']:.0%} of test".replace("%", " %") in README
