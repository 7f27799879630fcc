# expect: reject
# hint: A risk a little above the bound is let through: at most most_risk leaves no margin, so compare risk <= most_risk.
# keeps: risk_coverage
def risk_coverage(confidences: list[float], correct: list[bool]) -> list[tuple[float, float, float]]:
    """The trade between answering much and answering right.

    Args:
        confidences, correct: in any order, one number per question and whether its answer is right; numbers may be equal.

    Returns:
        ``(threshold, coverage, risk)`` for every distinct confidence as threshold, from the highest to the lowest, none of them rounded.
    """
    rows = []
    for t in sorted(set(confidences), reverse=True):
        answered = [ok for k, ok in zip(confidences, correct, strict=True) if k >= t]
        rows.append((t, len(answered) / len(confidences), answered.count(False) / len(answered)))
    return rows


def choose_threshold(confidences: list[float], correct: list[bool], most_risk: float) -> float:
    """The threshold that answers most questions at a risk of at most ``most_risk``; ``float("inf")`` if there is none."""
    good = [t for t, _, risk in risk_coverage(confidences, correct) if risk <= most_risk + 1e-9]
    return min(good, default=float("inf"))
