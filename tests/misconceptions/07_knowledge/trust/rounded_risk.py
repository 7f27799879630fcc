# expect: reject
# hint: a risk just above the bound is too large
# keeps: risk_coverage
def risk_coverage(confidences: list[float], correct: list[bool]) -> list[tuple[float, float, float]]:
    rows = []
    for t in sorted(set(confidences), reverse=True):
        answered = [ok for k, ok in zip(confidences, correct, strict=True) if k >= t]
        rows.append((t, len(answered) / len(confidences), answered.count(False) / len(answered)))
    return rows


def choose_threshold(confidences, correct, most_risk):
    rows = risk_coverage(confidences, correct)
    return min((t for t, _, risk in rows if round(risk, 2) <= most_risk), default=float("inf"))
