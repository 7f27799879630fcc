# expect: reject
# hint: 64-bit cosines that differ by 1e-9 are different: stay in the number type of the states
# keeps: nearest
def nearest(vector, table, k):
    cosines = F.normalize(table, dim=1) @ F.normalize(vector, dim=0)
    return cosines.topk(k).indices.tolist()


def same_sense(states, senses, k):
    unit = F.normalize(states, dim=1)
    cosines = (unit @ unit.T).round(decimals=6)
    cosines.fill_diagonal_(-2)
    neighbours = cosines.topk(k, dim=1).indices
    return (senses[neighbours] == senses[:, None]).double().mean().item()
