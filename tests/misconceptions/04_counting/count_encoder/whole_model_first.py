# expect: reject
# hint: the first number is the base without the head
def count_encoder(V, D, L, H, C):
    head = C * D + C
    return V * D + L * (6 * D**2 + 10 * D) + head, head
