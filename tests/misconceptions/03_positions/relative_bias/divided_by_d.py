# expect: reject
# hint: the products are divided by √d, not by d
# keeps: bias_matrix
def bias_matrix(table: Tensor, L: int) -> Tensor:
    T = (table.shape[1] + 1) // 2
    i = torch.arange(L)
    return table[:, i[:, None] - i[None, :] + T - 1]

def relative_attention(q: Tensor, k: Tensor, v: Tensor, table: Tensor) -> Tensor:
    s = q @ k.mT / q.shape[-1] + bias_matrix(table, q.shape[2])
    return s.softmax(-1) @ v
