# expect: reject
# hint: the risk may fall again at a lower threshold: take the lowest of all good ones, also behind a bad one
# keeps: risk_coverage
# Stops at the first violation.
def risk_coverage(confidences, correct):
    rows = []
    for t in sorted(set(confidences), reverse=True):
        answered = [ok for k, ok in zip(confidences, correct) if k >= t]
        rows.append((t, len(answered) / len(confidences), answered.count(False) / len(answered)))
    return rows


def choose_threshold(confidences, correct, most_risk):
    best = float("inf")
    for t, _, risk in risk_coverage(confidences, correct):
        if risk > most_risk:
            break
        best = t
    return best
