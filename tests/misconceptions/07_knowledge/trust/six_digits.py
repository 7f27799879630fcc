# expect: reject
# hint: Confidences are taken as they are: neither rounded nor turned into 32-bit numbers.
# keeps: choose_threshold
def risk_coverage(confidences, correct):
    rows, n = [], len(confidences)
    confidences = [round(k, 6) for k in confidences]
    for t in sorted(set(confidences), reverse=True):
        answered = [ok for k, ok in zip(confidences, correct) if k >= t]
        rows.append((t, len(answered) / n, answered.count(False) / len(answered)))
    return rows


def choose_threshold(confidences, correct, most_risk):
    return min((t for t, _, risk in risk_coverage(confidences, correct) if risk <= most_risk), default=float("inf"))
