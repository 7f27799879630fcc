# expect: reject
# hint: 64-bit cosines of rows are told apart where they differ by 1e-9
# keeps: same_sense
def nearest(vector, table, k):
    cos = F.normalize(table.float(), dim=1, eps=0) @ vector.float()
    return cos.topk(k).indices.tolist()


def same_sense(states, senses, k):
    unit = states / states.norm(dim=1, keepdim=True)
    cos = unit @ unit.T
    cos.fill_diagonal_(-2)
    near = cos.topk(k, dim=1).indices
    return float((senses[near] == senses[:, None]).double().mean())
