# expect: reject
# hint: the mask vector is put there as it is
def masked_outputs(X, P, mask, hidden, W_q, W_k, W_v):
    no_place, words = X + P, X.clone()
    no_place[hidden] = mask / mask.norm()
    words[hidden] = mask / mask.norm()
    return attend(no_place, W_q, W_k, W_v)[hidden], attend(words + P, W_q, W_k, W_v)[hidden]
