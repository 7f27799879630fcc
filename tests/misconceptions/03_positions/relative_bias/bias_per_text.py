# expect: reject
# hint: the bias belongs to the heads, the second axis: (H, L, L) is added to every text alike
# keeps: bias_matrix
def bias_matrix(table, L):
    T = (table.shape[1] + 1) // 2
    return table[:, torch.arange(L)[:, None] - torch.arange(L) + T - 1]


def relative_attention(q, k, v, table):
    bias = bias_matrix(table, q.shape[2])
    rows = [(q[b] @ k[b].mT / math.sqrt(q.shape[-1]) + bias[b % len(bias)]).softmax(-1) @ v[b] for b in range(len(q))]
    return torch.stack(rows)
