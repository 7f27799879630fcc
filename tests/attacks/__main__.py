"""``python -m tests.attacks``: every attack against the wall, and the control that shows that it works without one."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from tqdm import tqdm

from course_utils.errors import CourseError
from tests.attacks import containment, grading, toy
from tests.attacks.payloads import CHEATS


def rows(folder: Path) -> Iterator[tuple[str, str, str, bool]]:
    """Name, our result, the control's result, and whether the wall held and the control showed that the attack is real."""
    for number, cheat in enumerate(CHEATS):
        got = grading.judged(folder / f"ours-{number}", cheat).points
        stock = grading.stock(folder / f"stock-{number}", cheat)
        yield cheat.name, f"{got:g} points", f"{stock:g} points", got == 0 < stock
    attacks = [partial(containment.reach, name=name) for name in containment.REACH]
    for number, attack in enumerate([*attacks, *containment.OTHERS]):
        row = attack(folder / f"box-{number}")
        words = {True: "harm", False: "contained"}
        yield row.name, words[row.ours], words[row.control], row.control and not row.ours


def main() -> int:
    """Print the table; 0 if every attack failed here and worked in its control, 1 if not, 2 if there is no sandbox."""
    total = len(CHEATS) + len(containment.REACH) + len(containment.OTHERS)
    with tempfile.TemporaryDirectory() as name:
        try:
            found = list(tqdm(rows(Path(name)), total=total, unit="attack"))
        except CourseError as error:
            print(error, file=sys.stderr)
            return 2
    print(f"{'attack (8 points at stake)':46}{'here':14}{'without the wall':18}")
    for attack, ours, control, fine in found:
        print(f"{attack:46}{ours:14}{control:18}{'' if fine else '← NOT AS IT SHOULD BE'}")
    print(
        f"{sum(fine for *_, fine in found)} of {total} as they should be; points of the toy course: {sum(toy.POINTS.values()):g}"
    )
    return 0 if all(fine for *_, fine in found) else 1


if __name__ == "__main__":
    sys.exit(main())
