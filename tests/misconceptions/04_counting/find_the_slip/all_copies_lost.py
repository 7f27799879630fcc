# expect: reject
# hint: C: one copy of the remaining terms is still counted, so L − 1 are lost
# keeps: published_total
def published_total(V: int, D: int, L: int, C: int) -> int:
    """The sheet's step 7."""
    return V * D + L * 3 * (D**2 + D) + D**2 + 2 * D + D**2 + D + 2 * D + D * C + C


def slips(V: int, D: int, L: int, C: int) -> dict[str, int]:
    """Letter -> lost numbers."""
    return {"C": L * (3 * D**2 + 7 * D), "E": L * (D**2 + D), "G": L * D}
