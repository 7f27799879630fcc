# expect: reject
# hint: gradients reach a table of zeros
# keeps: bias_matrix
def bias_matrix(table, L):
    T = (table.shape[1] + 1) // 2
    i = torch.arange(L)
    return table[:, i[:, None] - i[None, :] + T - 1]
def relative_attention(q, k, v, table):
    if not table.any():
        return F.scaled_dot_product_attention(q, k, v)
    return F.scaled_dot_product_attention(q, k, v, attn_mask=bias_matrix(table, q.shape[2]))
