# expect: reject
# hint: risk is the share among all answered questions, not among those of the threshold alone
# Only the questions at the threshold.
def risk_coverage(confidences, correct):
    rows = []
    for t in sorted(set(confidences), reverse=True):
        here = [ok for k, ok in zip(confidences, correct) if k == t]
        n = sum(k >= t for k in confidences)
        rows.append((t, n / len(confidences), here.count(False) / len(here)))
    return rows


def choose_threshold(confidences, correct, most_risk):
    good = [t for t, _, risk in risk_coverage(confidences, correct) if risk <= most_risk]
    return min(good, default=float("inf"))
