# expect: accept
from typing import NamedTuple


class Terms(NamedTuple):
    added: Tensor
    joined: Tensor


def score_terms(X, P):
    both = torch.cat([X, P])  # (2n, d)
    n = len(X)
    whole = both @ both.T
    blocks = [whole[:n, :n], whole[:n, n:], whole[n:, :n], whole[n:, n:]]
    return Terms(torch.stack(blocks), torch.stack([blocks[0], blocks[3]]))
