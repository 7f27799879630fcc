# expect: reject
# hint: The same arguments give the same result
_k = {}
def count_encoder(V, D, L, H, C):
    base, head = V * D + L * (6 * (D * D + D) + 4 * D), D * C + C
    return _k.setdefault((D, L, H, C), (base, head))
