# expect: reject
# hint: neighbours are counted among the states, not among the means of the senses
# keeps: nearest
def nearest(vector, table, k):
    return F.cosine_similarity(table, vector[None], dim=-1).topk(k).indices.tolist()

def same_sense(states, senses, k):
    u = F.normalize(states, dim=-1)
    kinds = senses.unique()
    centres = torch.stack([u[senses == s].mean(0) for s in kinds])
    return (kinds[(u @ centres.T).argmax(-1)] == senses).float().mean().item()
