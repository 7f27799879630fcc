# expect: reject
# hint: each score is a product of k terms, and so is each entry of the weighted sum: 4MNk
# keeps: encoder_self_flops decoder_self_flops
def encoder_self_flops(M, k): return 8*M*k**2 + 4*M**2*k
def decoder_self_flops(N, k): return 8*N*k**2 + 4*N**2*k
def cross_flops(M, N, k): return 8*N*k**2 + 4*M*N*k if M == N else 4*N*k**2+4*M*k**2+4*M*N
