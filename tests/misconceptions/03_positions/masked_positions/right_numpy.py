# expect: accept
def masked_outputs(X, P, mask, hidden, W_q, W_k, W_v):
    x, p = X.numpy().copy(), P.numpy()
    rows = x + p
    rows[hidden], x[hidden] = mask.numpy(), mask.numpy()
    return [attend(torch.from_numpy(z), W_q, W_k, W_v)[hidden] for z in (rows, x + p)]
