# expect: accept
def published_total(V: int, D: int, L: int, C: int) -> int:
    """The sheet's step 7."""
    return V * D + L * 3 * (D**2 + D) + 2 * D * D + 5 * D + D * C + C


def slips(V, D, L, C):
    def count(ff_maps=2, out_bias=True, bracket=False):
        qkv = 3 * (D * D + D)
        rest = D * D + out_bias * D + ff_maps * (D * D + D) + 4 * D
        return V * D + L * qkv + (1 if bracket else L) * rest + D * C + C

    right = count()
    return {"G": right - count(out_bias=False), "C": right - count(bracket=True), "E": right - count(ff_maps=1)}
