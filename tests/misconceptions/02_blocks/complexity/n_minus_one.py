# expect: reject
# hint: a product (a, b)(b, c) costs 2abc: the counter does not save the first addition
def cross_flops(M, N, k): return 4*(M+N)*k*k + 2*M*N*(2*k-1)
def encoder_self_flops(M, k): return cross_flops(M, M, k)
def decoder_self_flops(N, k): return cross_flops(N, N, k)
