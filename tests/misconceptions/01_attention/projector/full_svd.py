# expect: reject
# hint: brings back the whole sum
def projector(A):
    U = torch.linalg.svd(A)[0]  # all d columns
    return U @ U.T
