# expect: reject
# hint: gradients flow back to x
# keeps: rotary_angles
def rotary_angles(length, d, base=10000.0, device=None):
    t = torch.arange(length, device=device, dtype=torch.float32)
    w = base ** (-torch.arange(0, d, 2, device=device, dtype=torch.float32) / d)
    return torch.outer(t, w)
class _Turn(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, c, s):
        ctx.save_for_backward(c, s)
        a, b = x[..., 0::2], x[..., 1::2]
        return torch.stack([a * c - b * s, a * s + b * c], -1).flatten(-2)
    @staticmethod
    def backward(ctx, g):
        c, s = ctx.saved_tensors
        a, b = g[..., 0::2], g[..., 1::2]
        return torch.stack([a * c - b * s, a * s + b * c], -1).flatten(-2), None, None
def apply_rotary(x, angles):
    L = x.shape[2]
    return _Turn.apply(x, angles[:L].cos().to(x.dtype), angles[:L].sin().to(x.dtype))
