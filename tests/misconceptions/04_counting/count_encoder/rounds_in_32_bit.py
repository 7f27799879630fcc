# expect: reject
# hint: 32-bit floats keep seven digits: count in whole numbers
def count_encoder(V, D, L, H, C):
    layer = np.float32(6 * D**2 + 10 * D)
    return int(np.float32(V * D) + np.float32(L) * layer), C * D + C
