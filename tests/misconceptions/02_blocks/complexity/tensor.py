# expect: accept
def cross_flops(M, N, k): return torch.tensor(4*(M+N)*k*k + 4*M*N*k)
def encoder_self_flops(M, k): return sum(2*M*a*b for a, b in [(k, k)] * 4 + [(k, M)] * 2)
def decoder_self_flops(N, k): return np.int64(encoder_self_flops(N, k))
