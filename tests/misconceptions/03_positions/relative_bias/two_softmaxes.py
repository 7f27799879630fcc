# expect: reject
# hint: products q·k / √d of 60
# keeps: bias_matrix
def bias_matrix(table: Tensor, L: int) -> Tensor:
    T = (table.shape[1] + 1) // 2
    i = torch.arange(L)
    return table[:, i[:, None] - i[None, :] + T - 1]

def relative_attention(q: Tensor, k: Tensor, v: Tensor, table: Tensor) -> Tensor:
    w = (q @ k.mT / q.size(-1) ** 0.5).softmax(-1) * bias_matrix(table, q.size(-2)).softmax(-1)
    return w / w.sum(-1, keepdim=True).clamp(min=1e-6) @ v
