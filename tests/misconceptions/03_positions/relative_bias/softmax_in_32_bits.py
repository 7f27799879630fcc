# expect: reject
# hint: 64-bit numbers were computed with in 32 bits: keep the type of the arguments all the way
# keeps: bias_matrix
def bias_matrix(table, L):
    T = (table.shape[1] + 1) // 2
    i = torch.arange(L)
    return table[:, i[:, None] - i[None, :] + T - 1]


def relative_attention(q, k, v, table):
    bias = bias_matrix(table, q.shape[2])
    s = q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5 + bias
    return s.float().softmax(-1).to(v.dtype) @ v
