# expect: reject
# hint: this is step 5; the sheet's numbers come from step 7
# keeps: slips
def published_total(V: int, D: int, L: int, C: int) -> int:
    """The sheet's step 7."""
    return V * D + L * (3 * (D**2 + D) + D**2 + 2 * D + D**2 + D + 2 * D) + D * C + C


def slips(V: int, D: int, L: int, C: int) -> dict[str, int]:
    """Letter -> lost numbers."""
    return {"C": (L - 1) * (3 * D**2 + 7 * D), "E": L * (D**2 + D), "G": L * D}
