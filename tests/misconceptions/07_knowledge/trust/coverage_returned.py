# expect: reject
# hint: return the threshold, not its coverage
# keeps: risk_coverage
# Coverage instead of threshold.
def risk_coverage(confidences, correct):
    rows = []
    for t in sorted(set(confidences), reverse=True):
        answered = [ok for k, ok in zip(confidences, correct) if k >= t]
        rows.append((t, len(answered) / len(confidences), answered.count(False) / len(answered)))
    return rows


def choose_threshold(confidences, correct, most_risk):
    good = [c for t, c, risk in risk_coverage(confidences, correct) if risk <= most_risk]
    return max(good, default=float("inf"))
