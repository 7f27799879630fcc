# expect: accept
class TransferredModel(nn.Sequential):
    @property
    def base(self):
        return self[0]

    @property
    def head(self):
        return self[1]


def transfer(pretrained, n_classes, frozen=False):
    base = copy.deepcopy(pretrained.base)
    for weight in base.parameters():
        weight.requires_grad_(not frozen)
    return TransferredModel(base, nn.Linear(pretrained.head.in_features, n_classes))
