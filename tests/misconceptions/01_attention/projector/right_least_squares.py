# expect: accept
def projector(A):
    # what A's columns explain of each unit vector
    unit = torch.eye(A.shape[0], dtype=A.dtype)
    return A @ torch.linalg.lstsq(A, unit, driver="gelsd").solution
