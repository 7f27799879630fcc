# expect: reject
# hint: hide the places that are named, not the words that happen to equal the mask
def masked_outputs(X, P, mask, hidden, W_q, W_k, W_v):
    no_place, words = X + P, X.clone()
    no_place[hidden] = mask
    words[hidden] = mask
    gone = (words == mask).all(1)
    no_place[gone] = mask
    keep = words + P
    keep[(mask == 0).all().expand(len(X))] = 0
    return attend(no_place, W_q, W_k, W_v)[hidden], attend(keep, W_q, W_k, W_v)[hidden]
