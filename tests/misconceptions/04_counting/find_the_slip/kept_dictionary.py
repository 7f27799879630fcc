# expect: reject
# hint: make a new dictionary in each call: one that is kept is changed by later calls and by whoever changes a result
# keeps: published_total
_answer = {}
def published_total(V, D, L, C):
    return V * D + L * 3 * (D * D + D) + D * D + 2 * D + D * D + D + 2 * D + D * C + C

def slips(V, D, L, C):
    _answer.update({"C": (L - 1) * (3 * D * D + 7 * D), "E": L * (D * D + D), "G": L * D})
    return _answer
