# expect: accept
WORDS = ({3: 1.0, 1: 1.0}, None, {2: 1.0, 1: 1.0})


def recipe(s, t):
    B = torch.zeros(3, 4)
    B[0, [1, 3]] = 1.0
    B[1] = torch.tensor([1.0, 0.0, t, s])
    B[2, [1, 2]] = 1.0
    return B


def no_projections(U, s, t):
    B = recipe(s, t).to(U.dtype)
    squared = (U * U).sum() / 4
    A = torch.softmax(squared * (B @ B.T), dim=1)
    mixed = A @ B
    return mixed @ U, mixed[1]
