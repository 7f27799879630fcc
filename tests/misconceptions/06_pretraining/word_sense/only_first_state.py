# expect: reject
# hint: the share of one state is not enough: average over all states
# keeps: nearest
def nearest(vector, table, k):
    return F.cosine_similarity(table, vector[None], dim=-1).topk(k).indices.tolist()

def same_sense(states, senses, k):
    u = F.normalize(states, dim=-1)
    near = (u @ u.T).fill_diagonal_(-2).topk(k, dim=-1).indices
    return (senses[near] == senses[:, None])[0].float().mean().item()

