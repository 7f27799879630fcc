# expect: reject
# hint: the output has the axes (B, H, L, d), as q has
# keeps: bias_matrix
def bias_matrix(table: Tensor, L: int) -> Tensor:
    T = (table.shape[1] + 1) // 2
    i = torch.arange(L)
    return table[:, i[:, None] - i[None, :] + T - 1]

def relative_attention(q: Tensor, k: Tensor, v: Tensor, table: Tensor) -> Tensor:
    out = F.scaled_dot_product_attention(q, k, v, attn_mask=bias_matrix(table, q.shape[2])[None])
    return out.transpose(1, 2)
