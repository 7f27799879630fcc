# expect: reject
# hint: there is no mask: a query sees all places
# keeps: bias_matrix
def bias_matrix(table, L):
    T = (table.shape[1] + 1) // 2
    return table[:, torch.arange(L)[:, None] - torch.arange(L) + T - 1]


def relative_attention(q, k, v, table):
    scores = q @ k.mT / math.sqrt(q.shape[-1]) + bias_matrix(table, q.shape[2])
    L = q.shape[2]
    return scores.masked_fill(torch.ones(L, L).triu(1).bool(), -1e30).softmax(-1) @ v
