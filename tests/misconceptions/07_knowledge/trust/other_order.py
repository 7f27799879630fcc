# expect: reject
# hint: each row is (threshold, coverage, risk) in this order
# keeps: choose_threshold
# Risk before coverage.
def risk_coverage(confidences, correct):
    rows = []
    for t in sorted(set(confidences), reverse=True):
        answered = [ok for k, ok in zip(confidences, correct) if k >= t]
        rows.append((t, answered.count(False) / len(answered), len(answered) / len(confidences)))
    return rows


def choose_threshold(confidences, correct, most_risk):
    good = [t for t, risk, _ in risk_coverage(confidences, correct) if risk <= most_risk]
    return min(good, default=float("inf"))
