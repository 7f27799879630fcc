# expect: reject
# hint: one gap gives one row, shape (1, e): no squeeze
def masked_outputs(X, P, mask, hidden, W_q, W_k, W_v):
    no_place, words = X + P, X.clone()
    no_place[hidden] = mask
    words[hidden] = mask
    return attend(no_place, W_q, W_k, W_v)[hidden].squeeze(0), attend(words + P, W_q, W_k, W_v)[hidden].squeeze(0)
