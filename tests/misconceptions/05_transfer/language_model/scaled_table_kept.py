# expect: reject
# hint: each call uses the weights that stand there now
class Base(nn.Module):
    def __init__(self, n_tokens, d_model, n_heads, n_layers, d_ff, dropout):
        super().__init__()
        self.d_model = d_model
        self.embedding = nn.Embedding(n_tokens, d_model)
        nn.init.normal_(self.embedding.weight, std=d_model**-0.5)
        layer = nn.TransformerEncoderLayer(d_model, n_heads, d_ff, dropout, batch_first=True, norm_first=True)
        self.encoder = nn.TransformerEncoder(layer, n_layers, enable_nested_tensor=False)
        self.drop = nn.Dropout(dropout)

    def forward(self, x):
        T = x.shape[1]
        mask = torch.ones(T, T, dtype=torch.bool).triu(1)
        if self.training or getattr(self, 'kept', None) is None:
            self.kept = None if self.training else self.embedding.weight * math.sqrt(self.d_model)
        table = self.kept if self.kept is not None else self.embedding.weight * math.sqrt(self.d_model)
        h = F.embedding(x, table) + position_table(T, self.d_model)
        return self.encoder(self.drop(h), mask=mask)


class TextModel(nn.Module):
    def __init__(self, n_tokens, n_classes, d_model, n_heads, n_layers, d_ff, dropout):
        super().__init__()
        self.base = Base(n_tokens, d_model, n_heads, n_layers, d_ff, dropout)
        self.head = nn.Linear(d_model, n_classes)

    def forward(self, x):
        return self.head(self.base(x))
