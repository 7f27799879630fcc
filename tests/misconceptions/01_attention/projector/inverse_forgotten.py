# expect: reject
# hint: it has to be inverted
def projector(A):
    return A @ (A.T @ A) @ A.T
