# expect: reject
# hint: The share is a number from 0 to 1, not per cent.
# keeps: nearest
def nearest(vector, table, k):
    return F.cosine_similarity(table, vector[None], dim=1).topk(k).indices.tolist()


def same_sense(states, senses, k):
    u = F.normalize(states, dim=1)
    c = (u @ u.T).fill_diagonal_(-2)
    near = c.topk(k).indices
    return 100 * float((senses[near] == senses[:, None]).double().mean())
