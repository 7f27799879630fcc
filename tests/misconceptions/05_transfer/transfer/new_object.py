# expect: accept
class Transferred(nn.Module):
    def __init__(self, base, width, n_classes):
        super().__init__()
        self.base = base
        self.head = nn.Linear(width, n_classes)

    def forward(self, x):
        return self.head(self.base(x))


def transfer(pretrained, n_classes, frozen=False):
    base = copy.deepcopy(pretrained.base)
    if frozen:
        for p in base.parameters():
            p.requires_grad = False
    return Transferred(base, pretrained.head.weight.shape[1], n_classes)
