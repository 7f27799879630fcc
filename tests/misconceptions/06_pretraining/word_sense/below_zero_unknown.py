# expect: reject
# hint: a sense below 0 is a sense like any other
# keeps: nearest
def nearest(vector: Tensor, table: Tensor, k: int) -> list[int]:
    cos = F.normalize(table, dim=1) @ F.normalize(vector, dim=0)
    return cos.topk(k).indices.tolist()


def same_sense(states: Tensor, senses: Tensor, k: int) -> float:
    unit = F.normalize(states, dim=1)
    cos = unit @ unit.T
    cos.fill_diagonal_(-2)
    near = cos.topk(k, dim=1).indices
    return ((senses[near] == senses[:, None]) & (senses[:, None] >= 0)).float().mean().item()
