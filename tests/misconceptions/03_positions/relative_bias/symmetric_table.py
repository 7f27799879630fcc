# expect: reject
# hint: −o and +o have a bias each: entry [i, j] depends on the sign of i − j
def bias_matrix(table, L):
    T = (table.shape[1] + 1) // 2
    return table[:, (torch.arange(L)[:, None] - torch.arange(L)).abs() + T - 1]


def relative_attention(q, k, v, table):
    return (q @ k.mT / math.sqrt(q.shape[-1]) + bias_matrix(table, q.shape[2])).softmax(-1) @ v
