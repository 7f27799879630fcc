# expect: reject
# hint: offset 0 stands in column T − 1: you are one column too far
def bias_matrix(table, L):
    T = (table.shape[1] + 1) // 2
    places = torch.arange(L)
    offset = places[:, None] - places[None, :]
    return table[:, offset + T]

def relative_attention(q, k, v, table):
    B, H, L, d = q.shape
    s = q @ k.transpose(-2, -1) / math.sqrt(d) + bias_matrix(table, L)
    return torch.softmax(s, dim=-1) @ v
