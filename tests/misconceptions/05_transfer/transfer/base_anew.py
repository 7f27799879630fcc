# expect: reject
# hint: The base's states are not those of the pretrained model: copy all of it, weights and buffers, and do not begin anew.
def transfer(pretrained: nn.Module, n_classes: int, frozen: bool = False) -> nn.Module:
    """A new model with a copy of the base of ``pretrained`` and a fresh head.

    Args:
        pretrained: has ``.base``, and ``.head``, an ``nn.Linear``; it is not changed.
        n_classes: outputs of the new head.
        frozen: the base's weights are not trained.
    """
    model = copy.deepcopy(pretrained)
    model.head = nn.Linear(pretrained.head.in_features, n_classes)
    for p in model.base.parameters():
        p.data = torch.randn_like(p)
    model.base.requires_grad_(not frozen)
    return model
