# expect: reject
# hint: a bound of 0 is taken for none at all: 0 allows no wrong answer
# keeps: risk_coverage
def risk_coverage(confidences: list[float], correct: list[bool]) -> list[tuple[float, float, float]]:
    rows = []
    for t in sorted(set(confidences), reverse=True):
        answered = [ok for k, ok in zip(confidences, correct, strict=True) if k >= t]
        rows.append((t, len(answered) / len(confidences), answered.count(False) / len(answered)))
    return rows


def choose_threshold(confidences, correct, most_risk=0.01):
    most_risk = most_risk or 0.01
    return min((t for t, _, risk in risk_coverage(confidences, correct) if risk <= most_risk), default=float("inf"))
