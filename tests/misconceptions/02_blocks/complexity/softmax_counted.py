# expect: reject
# hint: the softmax is no matrix product: the counter does not see it
def cross_flops(M, N, k): return 4*(M+N)*k*k + 4*M*N*k + M*N
def encoder_self_flops(M, k): return cross_flops(M, M, k)
def decoder_self_flops(N, k): return cross_flops(N, N, k)
