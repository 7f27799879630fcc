# expect: reject
# hint: a causal mask saves nothing: all N × N scores are computed, then some are hidden
# keeps: encoder_self_flops cross_flops
def cross_flops(M, N, k): return 4*(M+N)*k*k + 4*M*N*k
def encoder_self_flops(M, k): return cross_flops(M, M, k)
def decoder_self_flops(N, k): return 8*N*k*k + 2*N*(N+1)*k
