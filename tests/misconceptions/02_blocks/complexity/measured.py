# expect: accept
from torch.utils.flop_counter import FlopCounterMode


def _measure(queries, keys, k):
    x, y = torch.empty(queries, k, device="meta"), torch.empty(keys, k, device="meta")
    w = torch.empty(k, k, device="meta")
    with FlopCounterMode(display=False) as counter:
        q, key, v = x @ w, y @ w, y @ w
        ((q @ key.T).softmax(-1) @ v) @ w
    return counter.get_total_flops()


def encoder_self_flops(M, k):
    return _measure(M, M, k)


def cross_flops(M, N, k):
    return _measure(N, M, k)


def decoder_self_flops(N, k):
    return _measure(N, N, k)
