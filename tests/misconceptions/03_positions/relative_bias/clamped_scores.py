# expect: reject
# hint: do not clamp the scores: a bias of -10,000 must switch an offset off, and one of 50 must count
# keeps: bias_matrix
def bias_matrix(table, L):
    T = (table.shape[1] + 1) // 2
    return table[:, torch.arange(L)[:, None] - torch.arange(L) + T - 1]


def relative_attention(q, k, v, table):
    scores = q @ k.mT / math.sqrt(q.shape[-1]) + bias_matrix(table, q.shape[2])
    return scores.clamp(-10, 10).softmax(-1) @ v
