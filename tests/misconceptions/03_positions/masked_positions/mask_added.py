# expect: reject
# hint: the mask is added to the hidden words: it must replace them
def masked_outputs(X, P, mask, hidden, W_q, W_k, W_v):
    everything = X + P
    everything[hidden] = mask
    only_word = X.clone()
    only_word[hidden] += mask
    only_word = only_word + P
    return attend(everything, W_q, W_k, W_v)[hidden], attend(only_word, W_q, W_k, W_v)[hidden]
