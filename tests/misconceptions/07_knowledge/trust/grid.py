# expect: reject
# hint: thresholds are the confidences that occur, not a grid
# keeps: choose_threshold
# A grid of thresholds.
def risk_coverage(confidences, correct):
    rows = []
    for t in np.linspace(max(confidences), min(confidences), len(set(confidences))):
        answered = [ok for k, ok in zip(confidences, correct) if k >= t]
        rows.append((float(t), len(answered) / len(confidences), answered.count(False) / len(answered)))
    return rows


def choose_threshold(confidences, correct, most_risk):
    good = [t for t, _, risk in risk_coverage(confidences, correct) if risk <= most_risk]
    return min(good, default=float("inf"))
