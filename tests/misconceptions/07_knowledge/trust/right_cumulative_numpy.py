# expect: accept
def risk_coverage(confidences, correct):
    k, ok = np.array(confidences, dtype=float), np.array(correct, dtype=bool)
    thresholds, inverse = np.unique(-k, return_inverse=True)
    number = np.bincount(inverse).cumsum()
    wrong = np.bincount(inverse, weights=~ok).cumsum()
    return [(float(-t), float(a / len(k)), float(w / a)) for t, a, w in zip(thresholds, number, wrong)]


def choose_threshold(confidences, correct, most_risk):
    chosen = np.inf
    for row in risk_coverage(confidences, correct):
        if row[2] <= most_risk:
            chosen = row[0]
    return float(chosen)
