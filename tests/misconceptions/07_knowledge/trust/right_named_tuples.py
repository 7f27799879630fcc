# expect: accept
# Named tuples, and a class that counts along.
from dataclasses import dataclass, field
from typing import NamedTuple


class Row(NamedTuple):
    threshold: float
    coverage: float
    risk: float


@dataclass
class Tally:
    total: int
    answered: int = 0
    wrong: int = 0
    rows: list = field(default_factory=list)

    def take(self, threshold, group):
        self.answered += len(group)
        self.wrong += sum(not ok for ok in group)
        self.rows.append(Row(threshold, self.answered / self.total, self.wrong / self.answered))


def risk_coverage(confidences, correct):
    groups = {}
    for k, ok in zip(confidences, correct):
        groups.setdefault(k, []).append(ok)
    tally = Tally(len(confidences))
    for threshold in sorted(groups)[::-1]:
        tally.take(threshold, groups[threshold])
    return tally.rows


def choose_threshold(confidences, correct, most_risk):
    for row in reversed(risk_coverage(confidences, correct)):
        if not row.risk > most_risk:
            return row.threshold
    return float("inf")
