# expect: reject
# hint: The base is drawn anew: it must keep the pretrained weights, only the head is fresh.
def transfer(pretrained: nn.Module, n_classes: int, frozen: bool = False) -> nn.Module:
    model = copy.deepcopy(pretrained)
    model.head = nn.Linear(pretrained.head.in_features, n_classes)
    for module in model.modules():
        if hasattr(module, "reset_parameters"):
            module.reset_parameters()
    model.base.requires_grad_(not frozen)
    return model
