# expect: accept
class Linear:
    def __init__(self, a, b):
        self.size = (a + 1) * b


class Layer:
    def __init__(self, D):
        self.parts = [Linear(D, D) for _ in range(6)]
        self.norms = [2 * D, 2 * D]

    def size(self):
        return sum(part.size for part in self.parts) + sum(self.norms)


def count_encoder(V, D, L, H, C):
    return [V * D + L * Layer(D).size(), Linear(D, C).size]
