# expect: reject
# hint: 32-bit whole numbers are too small for long texts: use Python's own
import numpy as np
def cross_flops(M, N, k):
    M, N, k = np.int32(M), np.int32(N), np.int32(k)
    return int(4 * k * (k * (M + N) + M * N))
def encoder_self_flops(M, k): return cross_flops(M, M, k)
def decoder_self_flops(N, k): return cross_flops(N, N, k)
