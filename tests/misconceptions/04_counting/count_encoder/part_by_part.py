# expect: accept
def count_encoder(V, D, L, H, C):
    def linear(a, b):
        return a * b + b

    attention = H * 3 * linear(D, D // H) + linear(D, D)
    layer = attention + 2 * linear(D, D) + 2 * (2 * D)
    return V * D + sum(layer for _ in range(L)), linear(D, C)
