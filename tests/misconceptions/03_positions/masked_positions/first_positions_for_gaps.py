# expect: reject
# hint: the gaps got the first positions: row i of P belongs to place i, so take P[hidden]
def masked_outputs(X, P, mask, hidden, W_q, W_k, W_v):
    everything = X + P
    everything[hidden] = mask
    only_word = X.clone()
    only_word[hidden] = mask
    only_word = only_word + P; only_word[hidden] = mask + P[:len(hidden)]
    return attend(everything, W_q, W_k, W_v)[hidden], attend(only_word, W_q, W_k, W_v)[hidden]
