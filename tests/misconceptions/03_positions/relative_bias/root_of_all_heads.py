# expect: reject
# hint: divide by √d with d the width of one head, not of all heads together
# keeps: bias_matrix
def bias_matrix(table, L):
    T = (table.shape[1] + 1) // 2
    return table[:, torch.arange(L)[:, None] - torch.arange(L) + T - 1]


def relative_attention(q, k, v, table):
    width = q.shape[-1] * q.shape[1]
    return (q @ k.mT / math.sqrt(width) + bias_matrix(table, q.shape[2])).softmax(-1) @ v
