# expect: reject
# hint: nothing is added to the values
# keeps: bias_matrix
def bias_matrix(table, L):
    T = (table.shape[1] + 1) // 2
    return table[:, torch.arange(L)[:, None] - torch.arange(L) + T - 1]


def relative_attention(q, k, v, table):
    bias = bias_matrix(table, q.shape[2])
    return (q @ k.mT / math.sqrt(q.shape[-1]) + bias).softmax(-1) @ (v + bias.mean(-1, keepdim=True))
