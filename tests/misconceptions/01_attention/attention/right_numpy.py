# expect: accept
def attention(q: torch.Tensor, K: torch.Tensor, V: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    import numpy as np

    s = K.numpy() @ q.numpy()
    e = np.exp(s - s.max())
    return (e / e.sum()) @ V.numpy(), e / e.sum()
