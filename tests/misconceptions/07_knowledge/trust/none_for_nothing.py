# expect: reject
# hint: choose_threshold returns a number; float("inf") if no threshold is good enough
# keeps: risk_coverage
# None where nothing may be answered.
def risk_coverage(confidences, correct):
    rows = []
    for t in sorted(set(confidences), reverse=True):
        answered = [ok for k, ok in zip(confidences, correct) if k >= t]
        rows.append((t, len(answered) / len(confidences), answered.count(False) / len(answered)))
    return rows



def choose_threshold(confidences, correct, most_risk):
    good = [t for t, _, risk in risk_coverage(confidences, correct) if risk <= most_risk]
    return min(good, default=None)
