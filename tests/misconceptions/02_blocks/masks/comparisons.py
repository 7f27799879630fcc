# expect: accept
def causal_mask(n):
    place = torch.arange(n)
    return place.unsqueeze(0) <= place.unsqueeze(1)


def padding_mask(ids, pad):
    return ids.ne(pad).unsqueeze(1).unsqueeze(1)


def decoder_mask(ids, pad):
    return torch.logical_and(padding_mask(ids, pad), causal_mask(ids.size(1)))


def masked_softmax(scores, mask):
    mask = mask.expand_as(scores)
    weights = torch.softmax(torch.where(mask, scores, torch.full_like(scores, -torch.inf)), -1)
    return torch.where(mask.any(-1, keepdim=True), weights, torch.zeros_like(weights))
