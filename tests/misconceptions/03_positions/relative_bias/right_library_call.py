# expect: accept
def bias_matrix(table, L):
    T = table.shape[1] // 2 + 1
    i, j = torch.meshgrid(torch.arange(L), torch.arange(L), indexing="ij")
    return table.index_select(1, (i - j + T - 1).flatten()).view(len(table), L, L)  # (H, L*L) -> (H, L, L)


def relative_attention(q, k, v, table):
    bias = bias_matrix(table, q.shape[2]).to(q.dtype)
    return F.scaled_dot_product_attention(q, k, v, attn_mask=bias.expand(len(q), -1, -1, -1))
