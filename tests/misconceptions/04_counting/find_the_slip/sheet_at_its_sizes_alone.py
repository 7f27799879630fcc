# expect: reject
# hint: the functions hold for every size, not for the sheet's alone
def published_total(V, D, L, C):
    return 10_563_600 + 201 * C


def slips(V, D, L, C):
    return {"C": 364_200, "E": 160_800, "G": 800}
