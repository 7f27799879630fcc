# expect: reject
# hint: a aᵀ has to be divided by aᵀa, the square of the length; and even so a sum of them needs orthogonal columns
def projector(A):
    return sum(torch.outer(a, a) / a.norm() for a in A.T)
