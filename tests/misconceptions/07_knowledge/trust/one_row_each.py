# expect: reject
# hint: equal confidences are answered together: one row per distinct confidence
# keeps: choose_threshold
# Equal confidences in separate rows.
def risk_coverage(confidences, correct):
    rows = []
    for t in sorted(confidences, reverse=True):
        answered = [ok for k, ok in zip(confidences, correct) if k >= t]
        rows.append((t, len(answered) / len(confidences), answered.count(False) / len(answered)))
    return rows



def choose_threshold(confidences, correct, most_risk):
    good = [t for t, _, risk in risk_coverage(confidences, correct) if risk <= most_risk]
    return min(good, default=float("inf"))
