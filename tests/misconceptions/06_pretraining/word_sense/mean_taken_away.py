# expect: reject
# hint: the cosine is that of the states as they are: take no mean away
# keeps: nearest
def nearest(vector: Tensor, table: Tensor, k: int) -> list[int]:
    cos = F.normalize(table, dim=1) @ F.normalize(vector, dim=0)
    return cos.topk(k).indices.tolist()


def same_sense(states: Tensor, senses: Tensor, k: int) -> float:
    unit = F.normalize(states - states.mean(0), dim=1)
    cos = unit @ unit.T
    cos.fill_diagonal_(-2)
    near = cos.topk(k, dim=1).indices
    return (senses[near] == senses[:, None]).float().mean().item()
