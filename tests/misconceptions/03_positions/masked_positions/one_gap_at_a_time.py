# expect: reject
# hint: all places are hidden together: no gap sees what stood in another
def masked_outputs(X, P, mask, hidden, W_q, W_k, W_v):
    one, two = [], []
    for i in hidden:
        rows = X + P
        rows[i] = mask
        one.append(attend(rows, W_q, W_k, W_v)[i])
        rows = X.clone()
        rows[i] = mask
        two.append(attend(rows + P, W_q, W_k, W_v)[i])
    return torch.stack(one), torch.stack(two)
