# expect: reject
# hint: exp of a large score overflows, and of a very negative one it is 0: take the softmax, or take the largest score of each row away first
def bias_matrix(table, L):
    T = (table.shape[1] + 1) // 2
    rows = [table.flip(1)[:, T - 1 - i:T - 1 - i + L] for i in range(L)]
    return torch.stack(rows, 1)

def relative_attention(q, k, v, table):
    s = (q * q.shape[-1] ** -0.5) @ k.mT + bias_matrix(table, q.shape[-2])
    return (s.exp() / s.exp().sum(-1, keepdim=True)) @ v
