# expect: reject
# hint: the rate is the argument dropout: with 0, training and evaluation give the same
class Base(nn.Module):
    def __init__(self, n_tokens, d_model, n_heads, n_layers, d_ff, dropout):
        super().__init__()
        self.d_model = d_model
        self.embedding = nn.Embedding(n_tokens, d_model)
        nn.init.normal_(self.embedding.weight, std=d_model ** -0.5)
        layer = nn.TransformerEncoderLayer(d_model, n_heads, d_ff, batch_first=True, norm_first=True)
        self.encoder = nn.TransformerEncoder(layer, n_layers)
    def forward(self, x):
        T = x.shape[1]
        mask = torch.triu(torch.ones(T, T, dtype=torch.bool), diagonal=1)
        h = self.embedding(x) * self.d_model ** 0.5 + position_table(T, self.d_model)
        return self.encoder(h, mask=mask)

class TextModel(nn.Module):
    def __init__(self, n_tokens, n_classes, d_model, n_heads, n_layers, d_ff, dropout):
        super().__init__()
        self.base = Base(n_tokens, d_model, n_heads, n_layers, d_ff, dropout)
        self.head = nn.Linear(d_model, n_classes)
    def forward(self, x):
        return self.head(self.base(x))
