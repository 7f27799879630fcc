# expect: reject
# hint: a state must be out of its own neighbours even beside an opposite one, whose cosine is -1: fill the diagonal with less, such as -2
# keeps: nearest
def nearest(vector, table, k):
    cosines = F.normalize(table, dim=1) @ F.normalize(vector, dim=0)
    return cosines.topk(k).indices.tolist()


def same_sense(states, senses, k):
    unit = F.normalize(states, dim=1)
    cosines = unit @ unit.T
    cosines.fill_diagonal_(-1)
    neighbours = cosines.topk(k, dim=1).indices
    return (senses[neighbours] == senses[:, None]).double().mean().item()
