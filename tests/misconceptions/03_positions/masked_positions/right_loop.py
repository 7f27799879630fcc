# expect: accept
def masked_outputs(X, P, mask, hidden, W_q, W_k, W_v):
    bare, placed = [], []
    for i in range(X.shape[0]):
        bare.append(mask if i in hidden else X[i] + P[i])
        placed.append((mask if i in hidden else X[i]) + P[i])
    Y, Z = (attend(torch.stack(rows), W_q, W_k, W_v) for rows in (bare, placed))
    return torch.stack([Y[i] for i in hidden]), torch.stack([Z[i] for i in hidden])
