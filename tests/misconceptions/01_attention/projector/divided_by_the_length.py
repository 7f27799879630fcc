# expect: reject
# hint: the square of the length
def projector(A):
    return sum(torch.outer(a, a) / a.norm() for a in A.T)
