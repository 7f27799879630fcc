# expect: accept
# One pass over the questions in order of confidence.
def risk_coverage(confidences, correct):
    order = sorted(range(len(confidences)), key=lambda i: -confidences[i])
    rows, wrong = [], 0
    for place, i in enumerate(order, start=1):
        wrong += not correct[i]
        if place == len(order) or confidences[order[place]] < confidences[i]:
            rows.append((confidences[i], place / len(order), wrong / place))
    return rows



def choose_threshold(confidences, correct, most_risk):
    good = [t for t, _, risk in risk_coverage(confidences, correct) if risk <= most_risk]
    return min(good, default=float("inf"))
