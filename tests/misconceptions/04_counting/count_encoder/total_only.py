# expect: reject
# hint: return two numbers: the base and the head
def count_encoder(V, D, L, H, C):
    return V * D + L * (6 * D**2 + 10 * D) + C * D + C
