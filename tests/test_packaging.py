"""One source of truth for dependencies, and nothing that answers an exercise in what gets installed."""

import shutil
import subprocess
import sys
import tomllib
import zipfile

import pytest
import yaml

from tests.paths import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def test_environment_installs_what_pyproject_says_and_nothing_else():
    environment = yaml.safe_load((ROOT / "environment.yml").read_text())
    python, pip, own = environment["dependencies"]
    assert python == f"python{PROJECT['requires-python']}"
    assert pip == "pip"
    assert own == {"pip": ["-e ."]}, "every other package comes from pyproject.toml through '-e .'"
    assert environment["name"] == PROJECT["name"]


def test_student_runtime_needs_at_most_eight_packages():
    assert len(PROJECT["dependencies"]) <= 8


def test_every_dependency_states_its_reason():
    lines = (ROOT / "pyproject.toml").read_text().splitlines()
    named = [line for line in lines if line.strip().startswith('"') and (">=" in line or "grader]" in line)]
    assert len(named) >= len(PROJECT["dependencies"])
    for line in named:
        assert "#" in line or "[grader]" in line, f"no reason given: {line.strip()}"


def test_only_course_utils_is_named_for_the_wheel():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]
    assert project == {"packages": {"find": {"include": ["course_utils*"]}}}


def test_constraints_pin_torch_within_the_range_of_pyproject():
    pins = [line for line in (ROOT / "constraints.txt").read_text().splitlines() if line and not line.startswith("#")]
    assert pins == ["torch==2.13.0"]
    assert any(need.startswith("torch>=") and "<" not in need and "==" not in need for need in PROJECT["dependencies"])


@pytest.fixture(scope="session")
def wheel(tmp_path_factory):
    """The wheel as a user would build it."""
    out, copy = tmp_path_factory.mktemp("wheel"), tmp_path_factory.mktemp("checkout")
    tracked = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
    for name in tracked:  # a copy, because a build leaves its litter in the tree
        if (ROOT / name).is_file():
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, copy / name)
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", str(out), str(copy)]
    subprocess.run(command, check=True, capture_output=True)
    return next(out.glob("*.whl"))


@pytest.mark.slow  # builds a wheel of the whole checkout
def test_wheel_holds_course_utils_alone(wheel):
    names = zipfile.ZipFile(wheel).namelist()
    tops = {name.split("/")[0] for name in names if ".dist-info/" not in name}
    assert tops == {"course_utils"}
    assert {"course_utils/model.py", "course_utils/checks/selfcheck.py"} <= set(names)
