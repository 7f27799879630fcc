# expect: reject
# hint: the outputs at the hidden places are asked for
def masked_outputs(X, P, mask, hidden, W_q, W_k, W_v):
    seen = [i for i in range(len(X)) if i not in hidden]
    no_place, words = X + P, X.clone()
    no_place[hidden] = mask
    words[hidden] = mask
    return attend(no_place, W_q, W_k, W_v)[seen], attend(words + P, W_q, W_k, W_v)[seen]
