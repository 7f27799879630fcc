# expect: reject
# hint: Senses are compared in 8 bits, where 7 and 263 are the same: compare them as they are.
# keeps: nearest
def nearest(vector, table, k):
    cos = F.normalize(table, dim=-1) @ F.normalize(vector, dim=-1)
    return cos.topk(k).indices.tolist()


def same_sense(states, senses, k):
    u = F.normalize(states, dim=-1)
    cos = (u @ u.T).fill_diagonal_(-2)
    near = cos.topk(k).indices
    return (senses[near].to(torch.int8) == senses[:, None].to(torch.int8)).double().mean().item()
