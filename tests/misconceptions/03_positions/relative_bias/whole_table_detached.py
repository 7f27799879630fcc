# expect: reject
# hint: a text of T places uses the whole table, and gradients reach it there, too
# keeps: bias_matrix
def bias_matrix(table, L):
    T = (table.shape[1] + 1) // 2
    offsets = torch.arange(L)[:, None] - torch.arange(L)
    return table[:, offsets + T - 1]


def relative_attention(q, k, v, table):
    if 2 * q.shape[2] - 1 == table.shape[1]:
        table = table.detach()
    scores = q @ k.mT / math.sqrt(q.shape[-1])
    scores = scores + bias_matrix(table, q.shape[2])
    return scores.softmax(-1) @ v
