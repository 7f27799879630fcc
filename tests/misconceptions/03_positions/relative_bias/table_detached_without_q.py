# expect: reject
# hint: the table is cut off wherever q requires no gradients: it may be the only one that does
# keeps: bias_matrix
def bias_matrix(table, L):
    T = (table.shape[1] + 1) // 2
    offsets = torch.arange(L)[:, None] - torch.arange(L)
    return table[:, offsets + T - 1]


def relative_attention(q, k, v, table):
    if not q.requires_grad:
        table = table.detach()
    scores = q @ k.mT / math.sqrt(q.shape[-1])
    scores = scores + bias_matrix(table, q.shape[2])
    return scores.softmax(-1) @ v
