# expect: reject
# hint: every head has its own scores: do not average over them
# keeps: bias_matrix
def bias_matrix(table, L):
    T = (table.shape[1] + 1) // 2
    return table[:, torch.arange(L)[:, None] - torch.arange(L) + T - 1]


def relative_attention(q, k, v, table):
    scores = (q @ k.mT / math.sqrt(q.shape[-1])).mean(1, keepdim=True) + bias_matrix(table, q.shape[2])
    return scores.softmax(-1) @ v
