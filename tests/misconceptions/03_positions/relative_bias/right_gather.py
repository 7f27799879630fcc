# expect: accept
def bias_matrix(table, L):
    H, width = table.shape
    columns = torch.arange(L).view(L, 1) - torch.arange(L) + (width - 1) // 2
    return torch.gather(table[:, None].expand(H, L, width), 2, columns.expand(H, L, L))


def relative_attention(q, k, v, table):
    scores = torch.matmul(q, k.transpose(-2, -1)).div(q.size(-1) ** 0.5).add(bias_matrix(table, q.size(-2)))
    return torch.matmul(F.softmax(scores, dim=-1), v)
