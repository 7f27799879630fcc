# expect: reject
# hint: same_sense changes the states in place: divide into a new tensor, without /=
# keeps: nearest
def nearest(vector, table, k):
    return F.cosine_similarity(table, vector[None], dim=-1).topk(k).indices.tolist()

def same_sense(states, senses, k):
    states /= states.norm(dim=-1, keepdim=True)
    near = (states @ states.T).fill_diagonal_(-2).topk(k, dim=-1).indices
    return (senses[near] == senses[:, None]).float().mean().item()
