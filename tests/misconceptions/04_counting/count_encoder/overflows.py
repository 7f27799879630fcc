# expect: reject
# hint: the count does not fit into 32 bits: use Python's whole numbers
def count_encoder(V, D, L, H, C):
    with np.errstate(all="ignore"):
        V, D, L, C = (np.array([x], dtype=np.int32) for x in (V, D, L, C))
        return int((V * D + L * (6 * D * D + 10 * D))[0]), int((C * D + C)[0])
