# expect: reject
# hint: the lengths of vector and rows do not count, however small they are
# keeps: same_sense
def nearest(vector, table, k):
    cos = (table / (table.norm(dim=1, keepdim=True) + 1e-6)) @ (vector / (vector.norm() + 1e-6))
    return cos.topk(k).indices.tolist()


def same_sense(states, senses, k):
    unit = states / states.norm(dim=1, keepdim=True)
    cos = unit @ unit.T
    cos.fill_diagonal_(-2)
    near = cos.topk(k, dim=1).indices
    return float((senses[near] == senses[:, None]).double().mean())
