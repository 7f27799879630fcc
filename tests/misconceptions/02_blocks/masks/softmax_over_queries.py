# expect: reject
# hint: the softmax runs over the queries; the weights of one query must sum to 1 over the keys
# keeps: masks
def causal_mask(n):
    i = torch.arange(n)
    return i.unsqueeze(1) >= i.unsqueeze(0)


def padding_mask(ids, pad):
    return (ids != pad).unsqueeze(1).unsqueeze(2)


def decoder_mask(ids, pad):
    return padding_mask(ids, pad) & causal_mask(ids.shape[1])


def masked_softmax(scores, mask):
    return scores.masked_fill(~mask, -torch.inf).softmax(-2).nan_to_num()
