# expect: reject
# hint: leave the lists as they are: sorted() gives a new one
# keeps: choose_threshold
# Sorts its argument.
def risk_coverage(confidences, correct):
    order = sorted(range(len(confidences)), key=lambda i: -confidences[i])
    correct[:] = [correct[i] for i in order]
    confidences.sort(reverse=True)
    rows = []
    for t in sorted(set(confidences), reverse=True):
        answered = [ok for k, ok in zip(confidences, correct) if k >= t]
        rows.append((t, len(answered) / len(confidences), answered.count(False) / len(answered)))
    return rows


def choose_threshold(confidences, correct, most_risk):
    good = [t for t, _, risk in risk_coverage(confidences, correct) if risk <= most_risk]
    return min(good, default=float("inf"))
