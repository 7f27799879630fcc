# expect: reject
# hint: The risk is rounded: return the share as it is.
def risk_coverage(confidences, correct):
    out = []
    for t in sorted(set(confidences), reverse=True):
        a = [ok for k, ok in zip(confidences, correct) if k >= t]
        out.append((t, len(a) / len(confidences), round(a.count(False) / len(a), 4)))
    return out


def choose_threshold(confidences, correct, most_risk):
    return min((t for t, _, r in risk_coverage(confidences, correct) if r <= most_risk), default=float("inf"))
