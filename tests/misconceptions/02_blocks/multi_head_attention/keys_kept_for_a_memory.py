# expect: reject
# hint: the keys of an earlier call are used again where the memory is the same tensor: its numbers may have changed, so compute them in each call
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, heads):
        super().__init__()
        self.heads = heads
        for name in ("out_proj", "v_proj", "k_proj", "q_proj"):
            self.add_module(name, nn.Linear(d_model, d_model))

    def forward(self, x, memory, mask=None):
        h = self.heads
        outs = []
        q, v = self.q_proj(x), self.v_proj(memory)
        if getattr(self, "_key", None) is None or self._key[0] is not memory:
            self._key = (memory, self.k_proj(memory))
        k = self._key[1]
        for i, (qq, kk, vv) in enumerate(zip(q.chunk(h, -1), k.chunk(h, -1), v.chunk(h, -1))):
            s = torch.baddbmm(qq.new_zeros(1, 1, 1), qq, kk.transpose(1, 2), alpha=qq.shape[-1] ** -0.5)
            if mask is not None:
                m = mask
                while m.dim() < 4:
                    m = m.unsqueeze(0)
                m = m[:, i if m.shape[1] > 1 else 0]
                s = s.masked_fill(m.logical_not(), float("-inf"))
            outs.append(s.softmax(-1) @ vv)
        return self.out_proj(torch.cat(outs, -1))
