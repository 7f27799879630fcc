# expect: reject
# hint: with one layer the bracket loses 0; its letter stands there all the same
# keeps: published_total
def published_total(V, D, L, C):
    return V * D + L * 3 * (D**2 + D) + 2 * D**2 + 5 * D + D * C + C


def slips(V, D, L, C):
    losses = {"C": (L - 1) * (3 * D**2 + 7 * D), "E": L * (D**2 + D), "G": L * D}
    return {letter: loss for letter, loss in losses.items() if loss}
