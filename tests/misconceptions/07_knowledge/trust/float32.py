# expect: reject
# hint: Confidences are taken as they are: neither rounded nor turned into 32-bit numbers.
# 32-bit numbers.
def risk_coverage(confidences, correct):
    k, wrong = torch.tensor(confidences), ~torch.tensor(correct)
    rows = []
    for t in k.unique().flip(0):
        answered = k >= t
        rows.append((t.item(), answered.double().mean().item(), wrong[answered].double().mean().item()))
    return rows


def choose_threshold(confidences, correct, most_risk):
    good = [t for t, _, risk in risk_coverage(confidences, correct) if risk <= most_risk]
    return min(good, default=float("inf"))
