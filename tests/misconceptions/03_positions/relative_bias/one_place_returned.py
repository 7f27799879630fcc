# expect: reject
# hint: from a text of one place
# keeps: bias_matrix
def bias_matrix(table: Tensor, L: int) -> Tensor:
    T = (table.shape[1] + 1) // 2
    i = torch.arange(L)
    return table[:, i[:, None] - i[None, :] + T - 1]

def relative_attention(q: Tensor, k: Tensor, v: Tensor, table: Tensor) -> Tensor:
    if q.shape[2] == 1:
        return v  # one place: weight 1
    return F.scaled_dot_product_attention(q, k, v, attn_mask=bias_matrix(table, q.shape[2])[None])
