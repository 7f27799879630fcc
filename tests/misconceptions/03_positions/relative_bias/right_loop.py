# expect: accept
def bias_matrix(table, L):
    middle = (table.shape[1] - 1) // 2
    rows = [torch.stack([table[:, middle + i - j] for j in range(L)], 1) for i in range(L)]
    return torch.stack(rows, 1)


def relative_attention(q, k, v, table):
    B, H, L, d = q.shape
    bias = bias_matrix(table, L)
    heads = []
    for h in range(H):
        scores = torch.bmm(q[:, h], k[:, h].transpose(1, 2)) * d**-0.5 + bias[h]
        heads.append(torch.bmm(torch.softmax(scores, dim=2), v[:, h]))
    return torch.stack(heads, dim=1)
