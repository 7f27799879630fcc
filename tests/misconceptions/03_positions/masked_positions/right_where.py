# expect: accept
def masked_outputs(X, P, mask, hidden, W_q, W_k, W_v):
    gone = torch.zeros(len(X), 1, dtype=torch.bool)
    gone[hidden] = True
    first = attend(torch.where(gone, mask, X + P), W_q, W_k, W_v)
    second = attend(torch.where(gone, mask, X) + P, W_q, W_k, W_v)
    return first[hidden], second[hidden]
