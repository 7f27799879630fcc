# expect: accept
def bias_matrix(table, L):
    middle = table.shape[1] // 2
    rows = [table[:, middle + i - L + 1 : middle + i + 1].flip(1) for i in range(L)]
    return torch.stack(rows, dim=1)


def relative_attention(q, k, v, table):
    B, H, L, d = q.shape
    bias = bias_matrix(table, L).repeat(B, 1, 1)
    scores = torch.baddbmm(bias, q.reshape(B * H, L, d), k.reshape(B * H, L, d).transpose(1, 2), alpha=d**-0.5)
    return (scores.softmax(2) @ v.reshape(B * H, L, d)).view(B, H, L, d)
