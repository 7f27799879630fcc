# expect: reject
# hint: what was made of a tensor in an earlier call is used again: its numbers may have changed in place since
turned = {}

def scaled_dot_product(q, k, v, mask=None):
    if id(k) not in turned:
        turned[id(k)] = (k, k.transpose(-2, -1).clone())
    scores = q @ turned[id(k)][1] / math.sqrt(q.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
    weights = scores.softmax(-1)
    return weights @ v, weights
