# expect: reject
# hint: k is cut off where the text has T places: gradients reach it for every length
# keeps: bias_matrix
def bias_matrix(table, L):
    T = (table.shape[1] + 1) // 2
    offsets = torch.arange(L)[:, None] - torch.arange(L)
    return table[:, offsets + T - 1]


def relative_attention(q, k, v, table):
    if 2 * q.shape[2] - 1 == table.shape[1]:
        k = k.detach()
    scores = q @ k.mT / math.sqrt(q.shape[-1])
    scores = scores + bias_matrix(table, q.shape[2])
    return scores.softmax(-1) @ v
