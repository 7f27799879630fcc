# expect: accept
from typing import NamedTuple


class Outputs(NamedTuple):
    all_replaced: Tensor
    word_replaced: Tensor


def masked_outputs(X, P, mask, hidden, W_q, W_k, W_v):
    at = torch.tensor(hidden)
    words = X.index_copy(0, at, mask.expand(len(hidden), -1))
    rows = (X + P).index_copy(0, at, mask.expand(len(hidden), -1))
    return Outputs(attend(rows, W_q, W_k, W_v)[at], attend(words + P, W_q, W_k, W_v)[at])
