# expect: accept
def _flops(queries, keys, k):
    projections = [(queries, k, k), (keys, k, k), (keys, k, k), (queries, k, k)]
    products = [(queries, k, keys), (queries, keys, k)]
    return sum(2 * a * b * c for a, b, c in projections + products)


def encoder_self_flops(M, k):
    return _flops(M, M, k)


def cross_flops(M, N, k):
    return _flops(N, M, k)


def decoder_self_flops(N, k):
    return _flops(N, N, k)
