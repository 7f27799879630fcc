# expect: accept
def projector(A):
    import numpy as np

    Q = np.linalg.qr(A.numpy())[0]
    return torch.from_numpy(Q @ Q.T)
