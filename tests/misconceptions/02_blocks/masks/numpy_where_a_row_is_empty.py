# expect: reject
# hint: gradients come back to the scores of all other rows
# keeps: masks
def causal_mask(n: int) -> Tensor:
    return torch.ones(n, n, dtype=torch.bool).tril()

def padding_mask(ids: Tensor, pad: int) -> Tensor:
    return (ids != pad)[:, None, None, :]

def decoder_mask(ids: Tensor, pad: int) -> Tensor:
    return padding_mask(ids, pad) & causal_mask(ids.shape[1])

def masked_softmax(scores, mask):
    w = scores.masked_fill(~mask, float("-inf")).softmax(-1)
    if w.isnan().any():
        w = torch.from_numpy(np.nan_to_num(w.detach().numpy()))
    return w
