# expect: reject
# hint: the rows go from the highest threshold down
# keeps: choose_threshold
# In the order of the questions.
def risk_coverage(confidences, correct):
    rows = []
    for t in dict.fromkeys(confidences):
        answered = [ok for k, ok in zip(confidences, correct) if k >= t]
        rows.append((t, len(answered) / len(confidences), answered.count(False) / len(answered)))
    return rows


def choose_threshold(confidences, correct, most_risk):
    good = [t for t, _, risk in risk_coverage(confidences, correct) if risk <= most_risk]
    return min(good, default=float("inf"))
