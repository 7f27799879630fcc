# expect: accept
def published_total(V, D, L, C):
    missing = slips(V, D, 1, C)
    right = numel(encoder_parts(V, D, 1, 1, C, device="meta"))
    return right - sum(missing.values()) + (L - 1) * 3 * (D * D + D)


def slips(V, D, L, C):
    layer = numel(encoder_parts(1, D, 1, 1, 1, device="meta")["encoder"])
    return {"E": L * numel(nn.Linear(D, D, device="meta")), "C": (L - 1) * (layer - 3 * numel(nn.Linear(D, D, device="meta"))), "G": D * L}
