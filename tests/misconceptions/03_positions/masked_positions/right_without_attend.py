# expect: accept
def masked_outputs(X, P, mask, hidden, W_q, W_k, W_v):
    one_hot = torch.zeros(len(X), 1, dtype=X.dtype)
    for place in hidden:
        one_hot[place] = 1
    kept = 1 - one_hot
    results = []
    for rows in (kept * (X + P) + one_hot * mask, kept * X + one_hot * mask + P):
        query = rows[hidden] @ W_q
        scores = query @ (rows @ W_k).T / math.sqrt(W_k.shape[1])
        results.append(torch.softmax(scores, dim=-1) @ rows @ W_v)
    return tuple(results)
