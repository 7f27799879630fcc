# expect: accept
def masked_outputs(X, P, mask, hidden, W_q, W_k, W_v):
    keep = torch.ones(len(X), 1, dtype=X.dtype)
    keep[hidden] = 0
    answers = []
    for rows in (keep * (X + P) + (1 - keep) * mask, keep * X + (1 - keep) * mask + P):
        scores = rows[hidden] @ W_q @ (rows @ W_k).T / math.sqrt(W_q.shape[1])
        answers.append(scores.softmax(-1) @ (rows @ W_v))
    return tuple(answers)
