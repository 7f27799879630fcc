# expect: reject
# hint: offsets that do not occur get no gradient: use only the columns that the text needs
# keeps: relative_attention
def bias_matrix(table, L):
    T = (table.shape[1] + 1) // 2
    bias = table[:, torch.arange(L)[:, None] - torch.arange(L) + T - 1]
    rest = table.sum(1)[:, None, None]
    return bias + rest - rest.detach()


def relative_attention(q, k, v, table):
    return (q @ k.mT / math.sqrt(q.shape[-1]) + bias_matrix(table, q.shape[2])[None] * 1).softmax(-1) @ v
