# expect: reject
# hint: an error is missing: look for a bias that step 2 has not
# keeps: published_total
def published_total(V: int, D: int, L: int, C: int) -> int:
    """The sheet's step 7."""
    return V * D + L * 3 * (D**2 + D) + D**2 + 2 * D + D**2 + D + 2 * D + D * C + C


def slips(V: int, D: int, L: int, C: int) -> dict[str, int]:
    """Letter -> lost numbers."""
    return {"C": (L - 1) * (3 * D**2 + 7 * D), "E": L * (D**2 + D)}
