# expect: reject
# hint: answer as much as the bound allows, not with the least risk
# keeps: risk_coverage
# The least risk.
def risk_coverage(confidences, correct):
    rows = []
    for t in sorted(set(confidences), reverse=True):
        answered = [ok for k, ok in zip(confidences, correct) if k >= t]
        rows.append((t, len(answered) / len(confidences), answered.count(False) / len(answered)))
    return rows


def choose_threshold(confidences, correct, most_risk):
    rows = [row for row in risk_coverage(confidences, correct) if row[2] <= most_risk]
    return min(rows, key=lambda row: row[2])[0] if rows else float("inf")
