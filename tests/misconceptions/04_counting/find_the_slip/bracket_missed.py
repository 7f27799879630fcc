# expect: reject
# hint: an error is missing: compare the brackets of steps 5 and 7
# keeps: published_total
def published_total(V: int, D: int, L: int, C: int) -> int:
    """The sheet's step 7."""
    return V * D + L * 3 * (D**2 + D) + D**2 + 2 * D + D**2 + D + 2 * D + D * C + C


def slips(V: int, D: int, L: int, C: int) -> dict[str, int]:
    """Letter -> lost numbers."""
    return {"E": L * (D**2 + D), "G": L * D}
