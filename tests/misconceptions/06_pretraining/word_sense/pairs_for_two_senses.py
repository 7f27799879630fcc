# expect: reject
# hint: the share is right for two senses alone: compare the senses themselves, whatever their numbers are
# keeps: nearest
def nearest(vector, table, k):
    return F.cosine_similarity(table, vector[None], dim=-1).topk(k).indices.tolist()

def same_sense(states, senses, k):
    u = F.normalize(states, dim=-1)
    near = (u @ u.T).fill_diagonal_(-2).topk(k, dim=-1).indices
    s = (senses == senses.max()).float()
    return (s[near] == s[:, None]).float().mean().item()
