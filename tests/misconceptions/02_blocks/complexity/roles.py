# expect: reject
# hint: in cross-attention queries and output see N positions, keys and values see M
# keeps: encoder_self_flops decoder_self_flops
def cross_flops(M, N, k): return 2*(3*M+N)*k*k + 4*M*N*k
def encoder_self_flops(M, k): return cross_flops(M, M, k)
def decoder_self_flops(N, k): return cross_flops(N, N, k)
