# expect: reject
# hint: the product q · k has to be divided by √d before the bias is added
# keeps: bias_matrix
def bias_matrix(table: Tensor, L: int) -> Tensor:
    """table (H, 2T-1), entry [h, o + T - 1] for offset o = i - j  ->  (H, L, L), entry [h, i, j], for any L <= T."""
    T = (table.shape[1] + 1) // 2
    offsets = torch.arange(L)[:, None] - torch.arange(L)  # (L, 1) - (L,) -> (L, L), entry i - j
    return table[:, offsets + T - 1]  # (H, 2T-1) -> (H, L, L)


def relative_attention(q: Tensor, k: Tensor, v: Tensor, table: Tensor) -> Tensor:
    """Attention with a bias for each offset: q, k, v (B, H, L, d), table (H, 2T-1) -> (B, H, L, d). No mask."""
    scores = q @ k.mT  # (B, H, L, d) @ (B, H, d, L) -> (B, H, L, L)
    scores = scores + bias_matrix(table, q.shape[2])  # (B, H, L, L) + (H, L, L)
    return scores.softmax(-1) @ v
