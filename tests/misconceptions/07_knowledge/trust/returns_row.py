# expect: reject
# hint: return the threshold alone, not its row
# keeps: risk_coverage
# The whole row.
def risk_coverage(confidences, correct):
    rows = []
    for t in sorted(set(confidences), reverse=True):
        answered = [ok for k, ok in zip(confidences, correct) if k >= t]
        rows.append((t, len(answered) / len(confidences), answered.count(False) / len(answered)))
    return rows


def choose_threshold(confidences, correct, most_risk):
    good = [row for row in risk_coverage(confidences, correct) if row[2] <= most_risk]
    return min(good, default=float("inf"))
