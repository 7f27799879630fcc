# expect: reject
# hint: AᵀA stands in the middle as it is: it has to be inverted
def projector(A):
    return A @ (A.T @ A) @ A.T
