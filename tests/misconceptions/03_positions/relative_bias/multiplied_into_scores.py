# expect: reject
# hint: the bias multiplies the scores: it must be added to them
# keeps: bias_matrix
def bias_matrix(table, L):
    T = (table.shape[1] + 1) // 2
    places = torch.arange(L)
    offset = places[:, None] - places[None, :]
    return table[:, offset + T - 1]

def relative_attention(q, k, v, table):
    B, H, L, d = q.shape
    s = q @ k.transpose(-2, -1) / math.sqrt(d) * bias_matrix(table, L)
    return torch.softmax(s, dim=-1) @ v
