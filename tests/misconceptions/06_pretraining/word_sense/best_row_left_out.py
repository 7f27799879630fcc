# expect: reject
# hint: nearest leaves the best row out: no row of the table is excluded there.
# keeps: same_sense
def nearest(vector, table, k):
    return F.cosine_similarity(table, vector[None], dim=1).topk(min(k + 1, len(table))).indices[1:].tolist()


def same_sense(states, senses, k):
    u = F.normalize(states, dim=1)
    c = (u @ u.T).fill_diagonal_(-2)
    near = c.topk(k).indices
    return float((senses[near] == senses[:, None]).double().mean())
