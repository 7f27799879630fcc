# expect: reject
# hint: Every call makes a new model: this one is kept from an earlier call, and changed.
_KEPT = {}


def transfer(pretrained: nn.Module, n_classes: int, frozen: bool = False) -> nn.Module:
    model = _KEPT.setdefault(pretrained, copy.deepcopy(pretrained))
    model.head = nn.Linear(pretrained.head.in_features, n_classes)
    model.base.requires_grad_(not frozen)
    return model
