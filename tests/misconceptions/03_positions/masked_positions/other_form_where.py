# expect: accept
def masked_outputs(X, P, mask, hidden, W_q, W_k, W_v):
    gone = torch.zeros(X.shape[0], 1, dtype=X.dtype)
    gone[torch.tensor(hidden)] = 1
    one = torch.where(gone.bool(), mask, X + P)
    two = torch.where(gone.bool(), mask, X) + P
    y1, y2 = (attend(z, W_q, W_k, W_v) for z in (one, two))
    return torch.stack([y1[h] for h in hidden]), torch.index_select(y2, 0, torch.tensor(hidden))
