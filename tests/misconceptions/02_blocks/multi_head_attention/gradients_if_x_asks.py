# expect: reject
# hint: gradients come back only if the input requires them: the input of a first layer does not, and its weights are trained all the same
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, heads):
        super().__init__()
        self.q_proj, self.k_proj, self.v_proj, self.out_proj = (nn.Linear(d_model, d_model) for _ in range(4))
        self.heads = heads

    def forward(self, x, memory, mask=None):
        with torch.set_grad_enabled(x.requires_grad or memory.requires_grad):
            q, k, v = (split_heads(f(y), self.heads) for f, y in ((self.q_proj, x), (self.k_proj, memory), (self.v_proj, memory)))
            return self.out_proj(merge_heads(scaled_dot_product(q, k, v, mask)[0]))
