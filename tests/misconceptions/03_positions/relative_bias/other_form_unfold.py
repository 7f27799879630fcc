# expect: accept
def bias_matrix(table, L):
    T = (table.shape[1] + 1) // 2
    i = torch.arange(L)
    return table.flip(1)[:, T - L : T + L - 1].unfold(1, L, 1).flip(1)


def relative_attention(q, k, v, table):
    bias = bias_matrix(table, q.shape[2])
    s = q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5 + bias
    return s.softmax(-1) @ v
