# expect: reject
# hint: row numbers are whole numbers: a float such as 3.0 picks no row of a list
# keeps: same_sense
def nearest(vector, table, k):
    cosines = F.normalize(table, dim=1) @ F.normalize(vector, dim=0)
    return cosines.topk(k).indices.double().tolist()


def same_sense(states, senses, k):
    unit = F.normalize(states, dim=1)
    cosines = unit @ unit.T
    cosines.fill_diagonal_(-2)
    neighbours = cosines.topk(k, dim=1).indices
    return (senses[neighbours] == senses[:, None]).double().mean().item()
