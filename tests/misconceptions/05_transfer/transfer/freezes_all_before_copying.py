# expect: reject
# hint: The pretrained model's own base was frozen: freeze the copy, not what it is made from.
def transfer(pretrained: nn.Module, n_classes: int, frozen: bool = False) -> nn.Module:
    if frozen:
        pretrained.requires_grad_(False)
    model = copy.deepcopy(pretrained)
    model.head = nn.Linear(pretrained.head.in_features, n_classes)
    model.base.requires_grad_(not frozen)
    model.head.requires_grad_(True)
    return model
