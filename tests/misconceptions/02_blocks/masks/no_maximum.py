# expect: reject
# hint: a constant added to all scores must change nothing: exp overflows unless the largest score is subtracted
# keeps: masks
def causal_mask(n):
    i = torch.arange(n)
    return i.unsqueeze(1) >= i.unsqueeze(0)


def padding_mask(ids, pad):
    return (ids != pad).unsqueeze(1).unsqueeze(2)


def decoder_mask(ids, pad):
    return padding_mask(ids, pad) & causal_mask(ids.shape[1])


def masked_softmax(scores, mask):
    e = scores.exp() * mask
    return e / e.sum(-1, keepdim=True).clamp_min(1e-9)
