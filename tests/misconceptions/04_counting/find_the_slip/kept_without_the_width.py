# expect: reject
# hint: The same arguments give the same result
# keeps: slips
_k = {}
def published_total(V, D, L, C):
    return _k.setdefault((V, L, C), V*D + L*3*(D*D+D) + D*D + 2*D + D*D + D + 2*D + D*C + C)
def slips(V, D, L, C):
    return {"C": (L-1)*(3*D*D+7*D), "E": L*(D*D+D), "G": L*D}
