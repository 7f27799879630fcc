# expect: accept
def attention(q, K, V):
    scores = K.matmul(q.reshape(-1, 1))  # (n, 1)
    alpha = torch.nn.Softmax(dim=0)(scores)
    return alpha.T.matmul(V).reshape(-1), alpha.reshape(-1)
