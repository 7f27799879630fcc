# expect: reject
# hint: the table is read anew in each call: after a step of training the same tensor holds other numbers
# keeps: bias_matrix
def bias_matrix(table: Tensor, L: int) -> Tensor:
    T = (table.shape[1] + 1) // 2
    places = torch.arange(L)
    return table[:, places[:, None] - places[None, :] + T - 1]


_kept = {}


def relative_attention(q: Tensor, k: Tensor, v: Tensor, table: Tensor) -> Tensor:
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
    key = (table.data_ptr(), q.shape[-2], table.shape)
    if key not in _kept or table.requires_grad:
        _kept[key] = bias_matrix(table, q.shape[-2])
    bias = _kept[key]
    return (scores + bias).softmax(-1) @ v
