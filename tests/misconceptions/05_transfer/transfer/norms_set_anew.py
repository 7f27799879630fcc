# expect: reject
# hint: The base's states are not those of the pretrained model: copy all of it, weights and buffers, and do not begin anew.
def transfer(pretrained: nn.Module, n_classes: int, frozen: bool = False) -> nn.Module:
    model = copy.deepcopy(pretrained)
    model.head = nn.Linear(pretrained.head.in_features, n_classes)
    model.base.requires_grad_(not frozen)
    for m in model.base.modules():
        if isinstance(m, nn.LayerNorm):
            m.reset_parameters()
    return model
