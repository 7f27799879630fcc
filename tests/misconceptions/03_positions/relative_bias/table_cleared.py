# expect: reject
# hint: you changed the table: index it, do not write into it
# keeps: bias_matrix
def bias_matrix(table, L):
    T = (table.shape[1] + 1) // 2
    return table[:, torch.arange(L)[:, None] - torch.arange(L) + T - 1]


def relative_attention(q, k, v, table):
    with torch.no_grad():
        table -= table.mean(1, keepdim=True)
    return (q @ k.mT / math.sqrt(q.shape[-1]) + bias_matrix(table, q.shape[2])).softmax(-1) @ v
