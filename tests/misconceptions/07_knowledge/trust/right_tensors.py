# expect: accept
# Tensors, and a loop that remembers the last good threshold.
def risk_coverage(confidences, correct):
    k, wrong = torch.tensor(confidences, dtype=torch.float64), ~torch.tensor(correct)
    rows = []
    for t in k.unique().flip(0):
        answered = k >= t
        rows.append((t.item(), answered.double().mean().item(), wrong[answered].double().mean().item()))
    return rows


def choose_threshold(confidences, correct, most_risk):
    best = math_inf
    for t, coverage, risk in risk_coverage(confidences, correct):
        if risk <= most_risk:
            best = t
    return best


math_inf = float("inf")
