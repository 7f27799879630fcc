"""The doctor: what it says where all is well, and where a layer is missing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from autograder.cli import main
from autograder.sandbox import bubblewrap, cgroup, doctor, layers, seccomp
from autograder.sandbox.remedies import REMEDIES, STOPS
from course_utils.errors import CourseError
from tests.paths import ROOT


def test_every_layer_is_tried(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor", "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["ready"] is True
    assert [one["name"] for one in said["layers"]] == list(STOPS)
    for one in said["layers"]:
        assert one["on"] or one["accepted"] or not one["matters"], one
        assert one["stops"] and one["found"] and bool(one["remedy"]) != one["on"]


def find(rows: list[doctor.Layer], name: str) -> doctor.Layer:
    return next(row for row in rows if row.name == name)


@pytest.mark.parametrize(
    ("off", "names"),
    [
        ("namespaces", {"own processes", "network off", "bounded folders", "no host folders", "neutral names"}),
        ("seccomp", {"system-call filter"}),
        ("rlimits", {"process limits"}),
        ("neutral_mounts", {"no host folders"}),
        ("cgroup", {"cgroup memory", "cgroup tasks", "cgroup processor"}),
    ],
)
def test_a_layer_that_is_off_is_seen(off: str, names: set[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Not read from a setting: the layer is really removed, and the attempt succeeds."""
    monkeypatch.delenv(layers.OVERRIDE, raising=False)
    with layers.without(off):
        rows = doctor._inside()
    missed = {row.name for row in rows if not row.on}
    assert names <= missed and (off == "namespaces" or missed == names)
    assert not all(row.well for row in rows)


def test_no_bubblewrap(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    bubblewrap.bubblewrap.cache_clear()
    assert main(["doctor"]) == 1
    said = capsys.readouterr().out
    assert "OFF  bubblewrap" in said and "apt install bubblewrap" in said and "OFF  system-call filter" in said
    assert "Not ready: bubblewrap, user namespaces" in said and "Nothing of students is run" in said
    monkeypatch.undo()
    bubblewrap.bubblewrap.cache_clear()


def test_no_control_group(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """The other layers are tried all the same; the instructor may accept that this one is missing."""
    monkeypatch.setattr(cgroup, "WAYS", ())
    monkeypatch.setattr(doctor, "_dies_with_parent", lambda: doctor.row("end with the grader", on=True, found=""))
    monkeypatch.delenv(layers.OVERRIDE, raising=False)
    assert main(["doctor"]) == 1
    said = capsys.readouterr().out
    assert "OFF  cgroup memory" in said and "systemd-run --user --scope -p Delegate=yes" in said
    assert "on   network off" in said and "Not ready: cgroup memory." in said
    monkeypatch.setenv(layers.OVERRIDE, "cgroup")
    assert main(["doctor"]) == 0
    said = capsys.readouterr().out
    assert "accepted by AUTOGRADER_WITHOUT" in said and "Weaker than it could be: cgroup memory, cgroup tasks" in said


def test_an_unlisted_processor(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(seccomp.platform, "machine", lambda: "riscv64")
    with pytest.raises(CourseError, match="no filter of system calls"):
        doctor._inside()
    rows = doctor._attempted(doctor._inside_or_without_group, doctor.NEEDS_SANDBOX)
    assert "no filter of system calls for this processor (riscv64)" in find(rows, "system-call filter").found
    assert not any(row.well for row in rows if row.matters)


def test_the_table_stands_in_the_security_policy() -> None:
    policy = (ROOT / "SECURITY.md").read_text()
    for name, stops in STOPS.items():
        assert f"| {name} | {stops} |" in policy
    assert set(REMEDIES) == set(STOPS)
