# expect: reject
# hint: a text of hundreds of places
# keeps: relative_attention
def bias_matrix(table, L):
    T = (table.shape[1] + 1) // 2
    i = torch.arange(L)
    o = (i[:, None] - i[None, :]).to(torch.int8).long()
    return table[:, o + T - 1]
def relative_attention(q, k, v, table):
    return F.scaled_dot_product_attention(q, k, v, attn_mask=bias_matrix(table, q.shape[2]))
