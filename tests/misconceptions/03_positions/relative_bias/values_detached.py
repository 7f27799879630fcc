# expect: reject
# hint: gradients must reach q, k and v too: no .detach() on the way
# keeps: bias_matrix
def bias_matrix(table, L):
    T = (table.shape[1] + 1) // 2
    return table[:, torch.arange(L)[:, None] - torch.arange(L) + T - 1]


def relative_attention(q, k, v, table):
    return (q @ k.detach().mT / math.sqrt(q.shape[-1]) + bias_matrix(table, q.shape[2])).softmax(-1) @ v
