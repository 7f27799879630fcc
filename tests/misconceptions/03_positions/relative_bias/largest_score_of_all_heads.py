# expect: reject
# hint: the largest score of all is taken away from every row: where another head's scores are far smaller, all exponentials become 0
# keeps: bias_matrix
def bias_matrix(table, L):
    T = (table.shape[1] + 1) // 2
    i = torch.arange(L)
    return table[:, i[:, None] - i[None, :] + T - 1]


def relative_attention(q, k, v, table):
    bias = bias_matrix(table, q.shape[2])
    s = q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5 + bias
    e = (s - s.max()).exp()
    return e / e.sum(-1, keepdim=True) @ v
