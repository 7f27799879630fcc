# expect: reject
# hint: that is the share of states whose neighbours agree by majority: average the shares
# keeps: nearest
def nearest(vector: Tensor, table: Tensor, k: int) -> list[int]:
    cosines = (table / table.norm(dim=1, keepdim=True)) @ (vector / vector.norm())
    return cosines.topk(k).indices.tolist()


def same_sense(states: Tensor, senses: Tensor, k: int) -> float:
    unit = states / states.norm(dim=1, keepdim=True)
    cosines = (unit @ unit.T).fill_diagonal_(-2)
    neighbours = cosines.topk(k).indices
    return ((senses[neighbours] == senses[:, None]).double().mean(1) >= 0.5).double().mean().item()
