# expect: reject
# hint: wrong answers may be among the answered, as long as their share is at most most_risk, the argument
# keeps: risk_coverage
# Above the first wrong answer.
def risk_coverage(confidences, correct):
    rows = []
    for t in sorted(set(confidences), reverse=True):
        answered = [ok for k, ok in zip(confidences, correct) if k >= t]
        rows.append((t, len(answered) / len(confidences), answered.count(False) / len(answered)))
    return rows


def choose_threshold(confidences, correct, most_risk):
    wrong = [k for k, ok in zip(confidences, correct) if not ok]
    good = [k for k in confidences if not wrong or k > max(wrong)]
    return min(good, default=float("inf"))
