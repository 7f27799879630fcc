# expect: reject
# hint: a question whose confidence equals the threshold is answered too: >= and not >
# The question at the threshold is left out.
def risk_coverage(confidences, correct):
    rows = []
    for t in sorted(set(confidences), reverse=True):
        answered = [ok for k, ok in zip(confidences, correct) if k > t]
        rows.append((t, len(answered) / len(confidences), answered.count(False) / max(len(answered), 1)))
    return rows



def choose_threshold(confidences, correct, most_risk):
    good = [t for t, _, risk in risk_coverage(confidences, correct) if risk <= most_risk]
    return min(good, default=float("inf"))
