# expect: reject
# hint: head h takes row h of the table
def bias_matrix(table, L):
    T = (table.shape[1] + 1) // 2
    return table.flip(0)[:, torch.arange(L)[:, None] - torch.arange(L) + T - 1]


def relative_attention(q, k, v, table):
    return (q @ k.mT / math.sqrt(q.shape[-1]) + bias_matrix(table, q.shape[2])).softmax(-1) @ v
