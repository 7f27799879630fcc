# expect: reject
# hint: this is the right count; published_total follows the sheet, with its errors
# keeps: slips
def published_total(V: int, D: int, L: int, C: int) -> int:
    """The sheet's step 7."""
    return V * D + L * (6 * D**2 + 10 * D) + D * C + C


def slips(V: int, D: int, L: int, C: int) -> dict[str, int]:
    """Letter -> lost numbers."""
    return {"C": (L - 1) * (3 * D**2 + 7 * D), "E": L * (D**2 + D), "G": L * D}
