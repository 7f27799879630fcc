# expect: reject
# hint: q is divided in place, which changes the caller's tensor: write q / √d, without /=.
# keeps: bias_matrix
def bias_matrix(table: Tensor, L: int) -> Tensor:
    T = (table.shape[1] + 1) // 2
    places = torch.arange(L)
    return table[:, places[:, None] - places[None, :] + T - 1]


def relative_attention(q: Tensor, k: Tensor, v: Tensor, table: Tensor) -> Tensor:
    with torch.no_grad():
        q /= math.sqrt(q.shape[-1])
    scores = q @ k.transpose(-2, -1)
    bias = bias_matrix(table, q.shape[-2])
    return (scores + bias).softmax(-1) @ v
