# expect: reject
# hint: the count is exact: whole numbers of Python have no rounding, 32-bit floating-point numbers have
# keeps: encoder_self_flops decoder_self_flops
import numpy as np

def encoder_self_flops(M, k):
    return 8 * M * k**2 + 4 * M**2 * k
def cross_flops(M, N, k):
    return float(np.float32(4) * (np.float32(N) * k**2 + np.float32(M) * k**2 + np.float32(M) * N * k))
def decoder_self_flops(N, k):
    return 8 * N * k**2 + 4 * N**2 * k
