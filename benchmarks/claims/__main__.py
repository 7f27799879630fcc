"""The table of claims, compared with the notebooks and with the results on file.

python -m benchmarks.claims            # the table as Markdown; problems below it; exit code 1 if there are any
python -m benchmarks.claims --json     # the same for programs
python -m benchmarks.claims --check    # the problems alone
python -m benchmarks.claims --todo 03  # what is in no entry yet, ready to be pasted into the table
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict

from benchmarks.claims.real_data import real_data_problems
from benchmarks.claims.table import STATUSES, Claim, Entry, read_table
from benchmarks.claims.units import read_units
from benchmarks.claims.verdicts import problems, sentences_left
from benchmarks.paths import ROOT
from course_utils.errors import CourseError

COLUMNS = ("notebook", "id", "status", "seeds", "tool", "what it says", "interval", "refuted by", "result")


def markdown(table: Sequence[Entry]) -> str:
    """Counts per notebook, then one row per claim."""
    claims = [entry for entry in table if isinstance(entry, Claim)]
    counts = Counter((claim.notebook, claim.status) for claim in claims)
    heads = ["notebook", *STATUSES, "sentences that are no result"]
    rows = [
        [name, *(str(counts[name, status]) for status in STATUSES), str(_others(table, name))]
        for name in sorted({entry.notebook for entry in table})
    ]
    return f"{_table(heads, rows)}\n\n{_table(COLUMNS, [_row(claim) for claim in claims])}"


def _others(table: Sequence[Entry], notebook: str) -> int:
    return sum(len(e.says) for e in table if e.notebook == notebook and not isinstance(e, Claim))


def _row(claim: Claim) -> list[str]:
    seeds = f"{claim.seeds}: {claim.which}" if claim.seeds else "–"
    says = " … ".join(claim.says)
    return [claim.notebook, claim.id, claim.status, seeds, claim.tool, says, claim.interval or claim.note,
            claim.refuted_by, claim.result or "–"]  # fmt: skip


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [heads, ["---"] * len(heads), *([cell.replace("|", "\\|") for cell in row] for row in rows)]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def main(arguments: Sequence[str] | None = None) -> int:
    """The command; 1 if the table, the notebooks and the results disagree, 2 if they cannot be read."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.claims", description="The table of claims.")
    how = parser.add_mutually_exclusive_group()
    how.add_argument("--json", action="store_true", help="for programs")
    how.add_argument("--check", action="store_true", help="problems alone")
    how.add_argument("--todo", metavar="NN", help="sentences of a notebook that are in no entry")
    options = parser.parse_args(arguments)
    try:
        units, table = read_units(ROOT / "solutions"), read_table()
        found = [*problems(units, table, ROOT), *real_data_problems(ROOT)]
    except CourseError as error:
        print(error, file=sys.stderr)
        return 2
    if options.todo:
        print(sentences_left(units, table, options.todo))
        return 0
    if options.json:
        print(
            json.dumps({"entries": [asdict(entry) for entry in table], "problems": found}, ensure_ascii=False, indent=1)
        )
    elif not options.check:
        print(markdown(table))
    if found and not options.json:
        print("\n".join(found), file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    raise SystemExit(main())
