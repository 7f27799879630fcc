# expect: reject
# hint: you changed X itself: work on a copy, X.clone()
def masked_outputs(X, P, mask, hidden, W_q, W_k, W_v):
    no_place = X + P
    no_place[hidden] = mask
    X[hidden] = mask
    one, two = (attend(rows, W_q, W_k, W_v)[hidden] for rows in (no_place, X + P))
    return one, two
