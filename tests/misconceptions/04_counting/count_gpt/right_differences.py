# expect: accept
def count_gpt(V, D, L, H, T, variant="vanilla", m=0):
    vanilla = np.dot([2 * V, T, 12 * L * D, 13 * L, 2], [D] * 5)
    change = {
        "vanilla": 0,
        "rope": -T * D,
        "relative": -T * D + L * H * T,
        "synthesizer": L * (T * (D + H) - D * (D + 1)),
        "synthesizer_shared": L * ((T - 1) * (D // H + 1) - D * (D + 1)),
        "perceiver": m * D,
    }
    return vanilla + change[variant]
