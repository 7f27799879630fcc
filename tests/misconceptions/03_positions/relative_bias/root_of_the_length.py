# expect: reject
# hint: the root is of the wrong size: divide q · k by √d, the width of a head, not by √L
# keeps: bias_matrix
def bias_matrix(table, L):
    T = (table.shape[1] + 1) // 2
    places = torch.arange(L)
    offset = places[:, None] - places[None, :]
    return table[:, offset + T - 1]

def relative_attention(q, k, v, table):
    B, H, L, d = q.shape
    s = q @ k.transpose(-2, -1) / math.sqrt(L) + bias_matrix(table, L)
    return torch.softmax(s, dim=-1) @ v
