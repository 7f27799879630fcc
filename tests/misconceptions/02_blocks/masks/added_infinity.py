# expect: reject
# hint: in a row that is masked entirely the NaN is replaced in the weights, but it comes back in the gradient: hide scores with masked_fill or torch.where, not by adding
def causal_mask(n: int) -> Tensor:
    return torch.ones(n, n, dtype=torch.bool).tril()


def padding_mask(ids: Tensor, pad: int) -> Tensor:
    return (ids != pad)[:, None, None, :]


def decoder_mask(ids: Tensor, pad: int) -> Tensor:
    return causal_mask(ids.shape[1]) & padding_mask(ids, pad)


def masked_softmax(scores, mask):
    hidden = torch.zeros_like(scores).masked_fill(~mask, float("-inf"))
    return (scores + hidden).softmax(-1).nan_to_num(0.0)
