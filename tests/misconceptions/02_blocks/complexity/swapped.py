# expect: reject
# hint: the scores of cross-attention are N × M, those of no other pair of lengths
# keeps: encoder_self_flops decoder_self_flops
def cross_flops(M, N, k): return 4 * k * (k * (M + N) + M * M)
def encoder_self_flops(M, k): return cross_flops(M, M, k)
def decoder_self_flops(N, k): return cross_flops(N, N, k)
