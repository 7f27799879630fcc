# expect: reject
# hint: The base is never trained: it runs under no_grad, or the head gets states that are cut off from it.
class Base(nn.Module):
    """Ids (B, T) -> states (B, T, d_model), each of which depends on the tokens up to its own position."""

    def __init__(self, n_tokens: int, d_model: int, n_heads: int, n_layers: int, d_ff: int, dropout: float) -> None:
        super().__init__()
        self.embedding = nn.Embedding(n_tokens, d_model)
        nn.init.normal_(self.embedding.weight, std=d_model**-0.5)
        block = nn.TransformerEncoderLayer(d_model, n_heads, d_ff, dropout, batch_first=True, norm_first=True)
        self.encoder = nn.TransformerEncoder(block, n_layers, enable_nested_tensor=False)

    def forward(self, x: Tensor) -> Tensor:
        """(B, T) int64 -> (B, T, d_model)."""
        T, D = x.shape[1], self.embedding.embedding_dim
        h = math.sqrt(D) * self.embedding(x) + position_table(T, D)  # (B, T, D) + (T, D)
        future = torch.ones(T, T, dtype=torch.bool).triu(1)
        with torch.no_grad():
            return self.encoder(h, mask=future)


class TextModel(nn.Module):
    """A base and a linear head: ids (B, T) -> logits (B, T, n_classes). A language model has n_classes = n_tokens."""

    def __init__(
        self, n_tokens: int, n_classes: int, d_model: int, n_heads: int, n_layers: int, d_ff: int, dropout: float
    ) -> None:
        super().__init__()
        self.base = Base(n_tokens, d_model, n_heads, n_layers, d_ff, dropout)
        self.head = nn.Linear(d_model, n_classes)

    def forward(self, x: Tensor) -> Tensor:
        """(B, T) int64 -> (B, T, n_classes)."""
        return self.head(self.base(x))
