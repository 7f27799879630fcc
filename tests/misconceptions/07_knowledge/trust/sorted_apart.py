# expect: reject
# hint: sort the questions together with whether they are right, not the confidences alone
# Confidences sorted without their answers.
def risk_coverage(confidences, correct):
    k = sorted(confidences, reverse=True)
    rows = []
    for t in sorted(set(k), reverse=True):
        n = sum(v >= t for v in k)
        rows.append((t, n / len(k), correct[:n].count(False) / n))
    return rows


def choose_threshold(confidences, correct, most_risk):
    good = [t for t, _, risk in risk_coverage(confidences, correct) if risk <= most_risk]
    return min(good, default=float("inf"))
