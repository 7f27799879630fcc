# expect: accept
class Table:
    def __init__(self, T, causal, clip):
        self.far = T - 1 if clip is None or clip > T - 1 else clip
        self.directions = 1 if causal else 2

    def __len__(self):
        return self.directions * self.far + 1


def bias_count(T, heads, layers, causal=False, clip=None):
    return sum(len(Table(T, causal, clip)) for _ in range(heads * layers))
