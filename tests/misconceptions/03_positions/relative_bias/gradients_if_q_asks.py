# expect: reject
# hint: gradients come back only if q requires them: k, v or the table may be the only one that does
# keeps: bias_matrix
def bias_matrix(table, L):
    T = (table.shape[1] + 1) // 2
    offsets = torch.arange(L)[:, None] - torch.arange(L)
    return table[:, offsets + T - 1]


def _attend(q, k, v, table):
    scores = q @ k.mT / math.sqrt(q.shape[-1])
    scores = scores + bias_matrix(table, q.shape[2])
    return scores.softmax(-1) @ v


def relative_attention(q, k, v, table):
    if q.requires_grad:
        return _attend(q, k, v, table)
    with torch.no_grad():
        return _attend(q, k, v, table)
