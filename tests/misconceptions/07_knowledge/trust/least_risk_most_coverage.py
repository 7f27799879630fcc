# expect: reject
# hint: answer as much as the bound allows, not with the least risk
# keeps: risk_coverage
def risk_coverage(confidences, correct):
    out = []
    for t in sorted(set(confidences), reverse=True):
        a = [ok for k, ok in zip(confidences, correct) if k >= t]
        out.append((t, len(a) / len(confidences), a.count(False) / len(a)))
    return out


def choose_threshold(confidences, correct, most_risk):
    return min(
        ((r, -c, t) for t, c, r in risk_coverage(confidences, correct) if r <= most_risk), default=(0, 0, float("inf"))
    )[2]
