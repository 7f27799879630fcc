# expect: accept
def causal_mask(n):
    return torch.from_numpy(np.tri(n, dtype=bool))


def padding_mask(ids: Tensor, pad: int) -> Tensor:
    return (ids != pad)[:, None, None, :]


def decoder_mask(ids, pad):
    past, real = torch.broadcast_tensors(causal_mask(ids.size(1)), padding_mask(ids, pad))
    return torch.logical_and(past, real)


def masked_softmax(scores, mask):
    """Keys with a huge negative score get 0; an empty row is uniform and then wiped out."""
    return scores.masked_fill(mask.logical_not(), -1e9).softmax(dim=-1).mul(mask)
