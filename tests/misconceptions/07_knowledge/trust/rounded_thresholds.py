# expect: reject
# hint: confidences that differ a little are different thresholds: do not round them
# Rounded to three decimals.
def risk_coverage(confidences, correct):
    confidences = [round(k, 3) for k in confidences]
    rows = []
    for t in sorted(set(confidences), reverse=True):
        answered = [ok for k, ok in zip(confidences, correct) if k >= t]
        rows.append((t, len(answered) / len(confidences), answered.count(False) / len(answered)))
    return rows


def choose_threshold(confidences, correct, most_risk):
    good = [t for t, _, risk in risk_coverage(confidences, correct) if risk <= most_risk]
    return min(good, default=float("inf"))
