# expect: accept
def bias_matrix(table, L):
    T = (table.shape[1] + 1) // 2
    i = torch.arange(L)
    return table[:, i[:, None] - i + T - 1]

def relative_attention(q, k, v, table):
    L, d = q.shape[-2:]
    scores = q @ k.transpose(-2, -1) / math.sqrt(d) + bias_matrix(table, L)
    weights = scores.exp()
    return weights / weights.sum(-1, keepdim=True) @ v
