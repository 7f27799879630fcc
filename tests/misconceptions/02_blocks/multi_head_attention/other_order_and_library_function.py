# expect: accept
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, heads):
        super().__init__()
        self.out_proj = nn.Linear(d_model, d_model)
        self.v_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_model, d_model)
        self.q_proj = nn.Linear(d_model, d_model)
        self.h = heads

    def forward(self, x, memory, mask=None):
        q, k, v = (y.unflatten(-1, (self.h, -1)).transpose(1, 2) for y in (self.q_proj(x), self.k_proj(memory), self.v_proj(memory)))
        return self.out_proj(F.scaled_dot_product_attention(q, k, v, attn_mask=mask).transpose(1, 2).flatten(2))
