# expect: accept
# The risk as what is left of the share of right answers, and the bound tried from below.
def risk_coverage(confidences, correct):
    rows = []
    for t in sorted(set(confidences)):
        inside = [i for i in range(len(confidences)) if confidences[i] >= t]
        good = sum(1 for i in inside if correct[i])
        rows.insert(0, [t, len(inside) / len(confidences), 1 - good / len(inside)])
    return rows


def choose_threshold(confidences, correct, most_risk):
    threshold = float("inf")
    for row in risk_coverage(confidences, correct):
        threshold = row[0] if row[2] <= most_risk else threshold
    return threshold
