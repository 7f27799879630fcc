# expect: accept
class Bias:
    def __init__(self, table):
        self.table, self.T = table, (table.shape[1] + 1) // 2

    def at(self, i, j):
        return self.table[:, i - j + self.T - 1]


def bias_matrix(table, L):
    bias = Bias(table)
    flat = torch.stack([bias.at(i, j) for i in range(L) for j in range(L)], dim=1)
    return flat.reshape(-1, L, L)


def relative_attention(q, k, v, table):
    scores = torch.einsum("bhid,bhjd->bhij", q / q.shape[-1] ** 0.5, k)
    weights = torch.softmax(scores + bias_matrix(table, k.shape[2]).unsqueeze(0), dim=3)
    return torch.einsum("bhij,bhjd->bhid", weights, v)
