# expect: accept
def _speeds(d, base):
    return torch.exp(-math.log(base) * torch.arange(d // 2, dtype=torch.float64) * 2 / d)

def sinusoid(T, d, base=10000.0):
    phase = torch.outer(torch.arange(T, dtype=torch.float64), _speeds(d, base))
    hands = torch.polar(torch.ones_like(phase), math.pi / 2 - phase)  # cos(pi/2 - a) = sin a
    return torch.view_as_real(hands).reshape(T, d).float()

def shift_matrix(k, d, base=10000.0):
    a = _speeds(d, base) * k
    quarter = torch.tensor([[0.0, 1.0], [-1.0, 0.0]], dtype=torch.float64)
    turn = torch.diag(a.cos()), torch.diag(a.sin())
    return torch.kron(turn[0], torch.eye(2, dtype=torch.float64)) + torch.kron(turn[1], quarter)
