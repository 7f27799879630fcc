# expect: reject
# hint: decide together
def bias_matrix(table, L):
    T = (table.shape[1] + 1) // 2
    i = torch.arange(L)
    return table[:, i[:, None] - i[None, :] + T - 1]
def relative_attention(q, k, v, table):
    e = (q @ k.transpose(-1, -2) / q.shape[-1] ** 0.5).exp() * bias_matrix(table, q.shape[2]).exp()
    return e / e.sum(-1, keepdim=True) @ v
