# expect: reject
# hint: a threshold of 0 counts too: ask how many there are, not whether one is true
# keeps: risk_coverage
def risk_coverage(confidences, correct):
    rows = []
    for t in sorted(set(confidences), reverse=True):
        kept = [c for k, c in zip(confidences, correct) if k >= t]
        rows.append((t, len(kept) / len(confidences), kept.count(False) / len(kept)))
    return rows

def choose_threshold(confidences, correct, most_risk):
    fit = [t for t, _, risk in risk_coverage(confidences, correct) if risk <= most_risk]
    fit = [t for t in fit if t]
    return min(fit, default=math.inf if "math" in globals() else float("inf"))
