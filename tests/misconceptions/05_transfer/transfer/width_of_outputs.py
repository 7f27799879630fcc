# expect: reject
# hint: The head reads the base's states: its width is in_features of the old head, not out_features.
def transfer(pretrained: nn.Module, n_classes: int, frozen: bool = False) -> nn.Module:
    """A new model with a copy of the base of ``pretrained`` and a fresh head.

    Args:
        pretrained: has ``.base``, and ``.head``, an ``nn.Linear``; all its weights are trained, and it is not changed.
        n_classes: outputs of the new head.
        frozen: the base's weights are not trained.
    """
    model = copy.deepcopy(pretrained)
    model.head = nn.Linear(pretrained.head.out_features, n_classes)
    model.base.requires_grad_(not frozen)
    return model
