# expect: reject
# hint: A frozen base is a copy too: it must not change when the pretrained model is trained further.
class Reads(nn.Module):
    def __init__(self, base):
        super().__init__()
        self.inner = [base]
        self.train_nothing = nn.ParameterList()

    def forward(self, x):
        base = self.inner[0]
        mode = base.training
        base.train(self.training)
        with torch.no_grad():
            h = base(x)
        base.train(mode)
        return h


class Model(nn.Module):
    def __init__(self, base, width, n_classes):
        super().__init__()
        self.base, self.head = base, nn.Linear(width, n_classes)

    def forward(self, x):
        return self.head(self.base(x))


def transfer(pretrained, n_classes, frozen=False):
    base = Reads(pretrained.base) if frozen else copy.deepcopy(pretrained.base)
    return Model(base, pretrained.head.in_features, n_classes)
