# expect: reject
# hint: The pretrained model's own base was frozen: freeze the copy, not what it is made from.
def transfer(pretrained: nn.Module, n_classes: int, frozen: bool = False) -> nn.Module:
    """A new model with a copy of the base of ``pretrained`` and a fresh head.

    Args:
        pretrained: has ``.base``, and ``.head``, an ``nn.Linear``; all its weights are trained, and it is not changed.
        n_classes: outputs of the new head.
        frozen: the base's weights are not trained.
    """
    pretrained.base.requires_grad_(not frozen)
    model = copy.deepcopy(pretrained)
    model.head = nn.Linear(pretrained.head.in_features, n_classes)
    return model
