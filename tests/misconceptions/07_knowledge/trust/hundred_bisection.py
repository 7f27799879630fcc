# expect: reject
# hint: the risk does not fall steadily, so bisection finds a wrong threshold
# keeps: risk_coverage
# Bisection.
def risk_coverage(confidences, correct):
    rows = []
    for t in sorted(set(confidences), reverse=True):
        answered = [ok for k, ok in zip(confidences, correct) if k >= t]
        rows.append((t, len(answered) / len(confidences), answered.count(False) / len(answered)))
    return rows


def choose_threshold(confidences, correct, most_risk):
    rows = risk_coverage(confidences, correct)
    low, high = 0, len(rows)
    while low < high:
        middle = (low + high) // 2
        if rows[middle][2] <= most_risk:
            low = middle + 1
        else:
            high = middle
    return rows[low - 1][0] if low else float("inf")
