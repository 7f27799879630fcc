# expect: accept
# numpy: cumulative sums over the sorted confidences.
def risk_coverage(confidences, correct):
    k, ok = np.array(confidences), np.array(correct)
    values = np.unique(k)[::-1]
    answered = np.array([(k >= t).sum() for t in values])
    wrong = np.array([(~ok[k >= t]).sum() for t in values])
    return list(zip(values, answered / len(k), wrong / answered))


def choose_threshold(confidences, correct, most_risk):
    rows = np.array(risk_coverage(confidences, correct))
    good = rows[rows[:, 2] <= most_risk, 0]
    return good.min() if len(good) else np.inf
