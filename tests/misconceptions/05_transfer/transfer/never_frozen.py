# expect: reject
# hint: With frozen=True every weight of the base must keep its value: requires_grad_(False) for all of them.
def transfer(pretrained: nn.Module, n_classes: int, frozen: bool = False) -> nn.Module:
    """A new model with a copy of the base of ``pretrained`` and a fresh head.

    Args:
        pretrained: has ``.base``, and ``.head``, an ``nn.Linear``; it is not changed.
        n_classes: outputs of the new head.
        frozen: the base's weights are not trained.
    """
    model = copy.deepcopy(pretrained)
    model.head = nn.Linear(pretrained.head.in_features, n_classes)
    return model
