"""Promises about handed-in files: the notebook looks whether they are there, the judge says what is wrong with them.

    promises(
        …,
        kept=[
            …,
            handed_in("the model that is handed in answers both tasks", quote="…", files=("model.safetensors",),
                      made_by=("answer",), faults=lambda d: probes.faults(handin, private, d.rng)),
        ],
    )

``faults`` runs in the judge alone, after all promises before it are kept, on weights and answers that it evaluates for itself.
In the notebook a file must be there, whole, and made by the code that stands there now; what is in it is not judged.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from course_utils.checks.agree import same
from course_utils.checks.answers import answer_key
from course_utils.checks.asking import Ask, Reference
from course_utils.checks.compare import CheckFailed
from course_utils.checks.draws import Case, Draw
from course_utils.checks.handin import Handin, HandinError
from course_utils.checks.promises import Promise, promise
from course_utils.errors import CourseError

LOOKED = "course_utils.checks.handed.looked"
KEY = "answers "  # stands before the key of the answers in what a file says of itself


class Notebook:
    """Where the notebook's own names and hand-in folder are; ``selfcheck`` says so. Nowhere else is a file looked for."""

    student: Any = None
    handin = Handin()


notebook = Notebook()


def handed_in(
    sentence: str,
    quote: str | Sequence[str],
    *,
    files: Sequence[str],
    faults: Callable[[Draw], str | None],
    made_by: Sequence[str] = (),
    part: str = "",
) -> Promise:
    """A promise about files.

    Args:
        files: their names in the hand-in folder; ``.safetensors`` and ``.json`` must be whole.
        faults: one sentence on what is wrong with them, "" for nothing. It may use ``handin`` and ``private``, which the judge
            gives to the check's text; where these names do not exist (in the build), nothing is handed in.
        made_by: names of the notebook whose code makes the weights.
    """
    shown = Case(setup={"files": list(files), "made_by": list(made_by)})

    def cases(d: Draw) -> Case:
        return shown if d.small else Case((_said(faults, d),))

    return promise(
        sentence, quote, cases, ask=Ask(LOOKED), agree=same(), part=part, visible=1, fresh=1, far=False,
        trouble=False, want=True,
    )  # fmt: skip


def _said(faults: Callable[[Draw], str | None], d: Draw) -> str:
    """The fault's sentence; files that are missing or cannot be used are one."""
    try:
        return faults(d) or ""
    except (CheckFailed, CourseError) as error:
        return str(error)
    except NameError as error:
        if error.name not in ("handin", "private"):
            raise
        return ""


def looked(student: Any, case: Case) -> bool:
    """In the notebook, whether the case's files are there; in the judge, whether it found no fault. Raises CheckFailed."""
    if case.args and case.args[0] and not isinstance(student, Reference):
        raise CheckFailed(case.args[0])
    if not case.args and student is notebook.student:
        for name in case.setup["files"]:
            _require_file(notebook.handin, name, case.setup["made_by"])
    return True


def _require_file(handin: Handin, name: str, made_by: Sequence[str]) -> None:
    """Raise CheckFailed unless the file is there and whole, and its weights were made by the notebook's present code."""
    try:
        if name.endswith(".safetensors"):
            handin.weights(name)
            key = handin.notes(name).get("corpus", "").partition(KEY)[2]
            if made_by and key and key != answer_key(made_by):
                raise CheckFailed(f"the weights in {name} were made by other code: run the cell that trains them again")
        elif name.endswith(".json"):
            handin.json(name)
        else:
            handin.lines(name)
    except HandinError as error:
        raise CheckFailed(str(error)) from error
