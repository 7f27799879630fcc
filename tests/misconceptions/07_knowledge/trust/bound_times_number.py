# expect: reject
# hint: the number of wrong answers allowed is rounded up: a risk just above the bound is accepted
# keeps: risk_coverage
def risk_coverage(confidences: list[float], correct: list[bool]) -> list[tuple[float, float, float]]:
    rows = []
    for t in sorted(set(confidences), reverse=True):
        answered = [ok for k, ok in zip(confidences, correct, strict=True) if k >= t]
        rows.append((t, len(answered) / len(confidences), answered.count(False) / len(answered)))
    return rows


def choose_threshold(confidences, correct, most_risk):
    best = float("inf")
    for t in sorted(set(confidences), reverse=True):
        answered = [ok for k, ok in zip(confidences, correct) if k >= t]
        if answered.count(False) <= round(most_risk * len(answered)):
            best = t
    return best
