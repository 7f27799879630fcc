# expect: reject
# hint: switches the module between training and evaluation
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, heads):
        super().__init__()
        self.heads = heads
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_model, d_model)
        self.v_proj = nn.Linear(d_model, d_model)
        self.out_proj = nn.Linear(d_model, d_model)

    def cut(self, x):
        B, L, D = x.shape
        return x.reshape(B, L, self.heads, D // self.heads).transpose(1, 2)

    def forward(self, x, memory, mask=None):
        self.eval()
        q, k, v = self.cut(self.q_proj(x)), self.cut(self.k_proj(memory)), self.cut(self.v_proj(memory))
        s = q @ k.mT / math.sqrt(q.shape[-1])
        if mask is not None:
            s = s.masked_fill(~mask, float("-inf"))
        y = s.softmax(-1) @ v
        return self.out_proj(y.transpose(1, 2).reshape(x.shape))
