# expect: reject
# hint: that is the order of the dot products, in which long vectors win: divide by both lengths
def nearest(vector, table, k):
    return (table @ vector).topk(k).indices.tolist()


def same_sense(states, senses, k):
    u = states
    c = (u @ u.T).fill_diagonal_(-2)
    near = c.topk(k).indices
    return float((senses[near] == senses[:, None]).double().mean())
