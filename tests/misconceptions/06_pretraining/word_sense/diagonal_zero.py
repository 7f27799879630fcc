# expect: reject
# hint: where all others have cosines below 0, a state is its own neighbour again: put less than -1 on the diagonal, not 0
# keeps: nearest
def nearest(vector, table, k):
    return F.cosine_similarity(table, vector[None], dim=-1).topk(k).indices.tolist()

def same_sense(states, senses, k):
    u = F.normalize(states, dim=-1)
    near = (u @ u.T).fill_diagonal_(0).topk(k, dim=-1).indices
    return (senses[near] == senses[:, None]).float().mean().item()

