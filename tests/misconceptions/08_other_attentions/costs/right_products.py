# expect: accept
# Every product as a triple of sizes, head by head.
def _cost(*products):
    return sum(2 * a * b * c for a, b, c in products)


def vanilla_flops(T, D):
    return _cost(*4 * [(T, D, D)], (T, D, T), (T, T, D))


def synthesizer_flops(T, D):
    return vanilla_flops(T, D) - _cost((T, D, D))
