# expect: reject
# hint: the counter sees matrix products only: adding the biases costs nothing
def cross_flops(M, N, k): return 4*(M+N)*k*k + 4*M*N*k + 2*(M+N)*k
def encoder_self_flops(M, k): return cross_flops(M, M, k)
def decoder_self_flops(N, k): return cross_flops(N, N, k)
