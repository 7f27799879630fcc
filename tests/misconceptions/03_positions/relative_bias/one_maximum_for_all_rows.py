# expect: reject
# hint: the largest score of all rows is taken away from every row: where the scores of a row are far smaller, every exponential becomes 0
def bias_matrix(table, L):
    T = (table.shape[1] + 1) // 2
    places = torch.arange(L)
    return table[:, places[:, None] - places[None, :] + T - 1]

def relative_attention(q, k, v, table):
    s = q @ k.mT / q.shape[-1] ** 0.5 + bias_matrix(table, q.shape[-2])
    e = (s - s.max().detach()).exp()
    return e / e.sum(-1, keepdim=True) @ v
