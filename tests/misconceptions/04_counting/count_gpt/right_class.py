# expect: accept
class Count:
    def __init__(self, V, D, L, H, T):
        self.V, self.D, self.L, self.H, self.T, self.d = V, D, L, H, T, D // H

    def outside(self):
        return 2 * self.V * self.D + 2 * self.D

    def attention(self, variant):
        linear = self.D * self.D + self.D
        extra = {"relative": self.H * self.T, "synthesizer": self.H * (self.d + 1) * self.T}
        extra["synthesizer_shared"] = (self.d + 1) * (self.T - 1)
        return (3 if "synth" in variant else 4) * linear + extra.get(variant, 0)


def count_gpt(V, D, L, H, T, variant="vanilla", m=0):
    c = Count(V, D, L, H, T)
    places = T * D * (variant not in {"rope", "relative"})
    starts = m * D * (variant == "perceiver")
    return c.outside() + places + starts + sum(c.attention(variant) + 8 * D * D + 9 * D for _ in range(L))
