# expect: reject
# hint: wrong answers may be among the answered, as long as their share is at most most_risk, the argument
# keeps: risk_coverage
# One per cent always.
def risk_coverage(confidences, correct):
    rows = []
    for t in sorted(set(confidences), reverse=True):
        answered = [ok for k, ok in zip(confidences, correct) if k >= t]
        rows.append((t, len(answered) / len(confidences), answered.count(False) / len(answered)))
    return rows


def choose_threshold(confidences, correct, most_risk):
    good = [t for t, _, risk in risk_coverage(confidences, correct) if risk <= 0.01]
    return min(good, default=float("inf"))
