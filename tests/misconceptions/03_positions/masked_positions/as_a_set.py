# expect: reject
# hint: rows must come in the order of `hidden`, not sorted
def masked_outputs(X, P, mask, hidden, W_q, W_k, W_v):
    here = torch.zeros(len(X), dtype=torch.bool)
    here[hidden] = True
    no_place, words = X + P, X.clone()
    no_place[here] = mask
    words[here] = mask
    return attend(no_place, W_q, W_k, W_v)[here], attend(words + P, W_q, W_k, W_v)[here]
