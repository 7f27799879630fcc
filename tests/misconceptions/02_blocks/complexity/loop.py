# expect: accept
def product(a, b, c): return 2*a*b*c
def cross_flops(M, N, k):
    q = product(N, k, k); kv = 2 * product(M, k, k); s = product(N, k, M); w = product(N, M, k); o = product(N, k, k)
    return q + kv + s + w + o
encoder_self_flops = lambda M, k: cross_flops(M, M, k)
def decoder_self_flops(N, k): return cross_flops(N=N, M=N, k=k)
