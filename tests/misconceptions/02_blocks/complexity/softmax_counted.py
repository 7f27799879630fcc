# expect: reject
# hint: scaling and softmax are no matrix products: the counter sees neither
def cross_flops(M, N, k): return 4*(M+N)*k*k + 4*M*N*k + M*N
def encoder_self_flops(M, k): return cross_flops(M, M, k)
def decoder_self_flops(N, k): return cross_flops(N, N, k)
