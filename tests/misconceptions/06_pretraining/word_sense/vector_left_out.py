# expect: reject
# hint: a row of the table with the vector's own direction counts: it is the nearest of all
# keeps: same_sense
def nearest(vector, table, k):
    cosines = F.normalize(table, dim=1) @ F.normalize(vector, dim=0)
    return cosines.masked_fill(cosines > 1 - 1e-9, -2).topk(k).indices.tolist()


def same_sense(states, senses, k):
    unit = F.normalize(states, dim=1)
    cosines = unit @ unit.T
    cosines.fill_diagonal_(-2)
    neighbours = cosines.topk(k, dim=1).indices
    return (senses[neighbours] == senses[:, None]).double().mean().item()
