# expect: reject
# hint: M must send what is orthogonal to A to zero: the identity brings back the whole sum
def projector(A):
    U = torch.linalg.svd(A)[0]  # all d columns
    return U @ U.T
