# expect: reject
# hint: the outputs of attend are asked for, not its input rows
def masked_outputs(X, P, mask, hidden, W_q, W_k, W_v):
    no_place, words = X + P, X.clone()
    no_place[hidden] = mask
    words[hidden] = mask
    return no_place[hidden], (words + P)[hidden]
