# expect: reject
# hint: the order is that of the numbers: best first
# keeps: same_sense
def nearest(vector, table, k):
    return F.cosine_similarity(table, vector[None], dim=-1).topk(k).indices.sort().values.tolist()

def same_sense(states, senses, k):
    u = F.normalize(states, dim=-1)
    near = (u @ u.T).fill_diagonal_(-2).topk(k, dim=-1).indices
    return (senses[near] == senses[:, None]).float().mean().item()

