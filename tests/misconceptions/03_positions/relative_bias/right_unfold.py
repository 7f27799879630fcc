# expect: accept
def bias_matrix(table, L):
    T = (table.shape[1] + 1) // 2
    windows = table.flip(1).unfold(1, L, 1)  # (H, 2T-1) -> (H, 2T-L, L); window s starts at offset T-1-s
    return torch.stack([windows[:, T - 1 - i] for i in range(L)], dim=1)


def relative_attention(q, k, v, table):
    scores = torch.einsum("bhid,bhjd->bhij", q, k) / math.sqrt(q.size(3))
    weights = (scores + bias_matrix(table, q.size(2))[None]).exp()
    return torch.einsum("bhij,bhjd->bhid", weights / weights.sum(3, keepdim=True), v)
