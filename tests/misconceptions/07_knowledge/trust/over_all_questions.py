# expect: reject
# hint: the bound is on the risk among the answered questions, not among all
# keeps: risk_coverage
# Share of all questions.
def risk_coverage(confidences, correct):
    rows = []
    for t in sorted(set(confidences), reverse=True):
        answered = [ok for k, ok in zip(confidences, correct) if k >= t]
        rows.append((t, len(answered) / len(confidences), answered.count(False) / len(answered)))
    return rows


def choose_threshold(confidences, correct, most_risk):
    good = [t for t, c, risk in risk_coverage(confidences, correct) if c * risk <= most_risk]
    return min(good, default=float("inf"))
