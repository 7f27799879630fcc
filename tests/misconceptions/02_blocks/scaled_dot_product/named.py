# expect: accept
from typing import NamedTuple
class Result(NamedTuple):
    context: Tensor
    weights: Tensor
def scaled_dot_product(q, k, v, mask=None):
    s = (q.unsqueeze(3) * k.unsqueeze(2)).sum(-1) / q.shape[-1] ** 0.5
    if mask is not None:
        s = s + torch.zeros_like(s).masked_fill(~mask, float("-inf"))
    s = s - s.amax(-1, keepdim=True)
    w = s.exp() / s.exp().sum(-1, keepdim=True)
    return Result(w @ v, w)
