# expect: reject
# hint: The head was copied: its rows know next tokens, not classes; draw a fresh one.
def transfer(pretrained: nn.Module, n_classes: int, frozen: bool = False) -> nn.Module:
    """A new model with a copy of the base of ``pretrained`` and a fresh head.

    Args:
        pretrained: has ``.base``, and ``.head``, an ``nn.Linear``; it is not changed.
        n_classes: outputs of the new head.
        frozen: the base's weights are not trained.
    """
    model = copy.deepcopy(pretrained)
    model.head = nn.Linear(pretrained.head.in_features, n_classes)
    k = min(n_classes, len(pretrained.head.weight))
    model.head.weight.data[:k] = pretrained.head.weight.data[:k]
    model.base.requires_grad_(not frozen)
    return model
