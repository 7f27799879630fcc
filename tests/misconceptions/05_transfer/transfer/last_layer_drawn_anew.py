# expect: reject
# hint: The base's states are not those of the pretrained model: copy all of it, weights and buffers, and do not begin anew.
def transfer(pretrained: nn.Module, n_classes: int, frozen: bool = False) -> nn.Module:
    model = copy.deepcopy(pretrained)
    model.head = nn.Linear(pretrained.head.in_features, n_classes)
    model.base.requires_grad_(not frozen)
    if hasattr(model.base, "encoder") and hasattr(model.base.encoder, "layers"):
        for m in model.base.encoder.layers[-1].modules():
            if hasattr(m, "reset_parameters"):
                m.reset_parameters()
            elif hasattr(m, "_reset_parameters"):
                m._reset_parameters()
    return model
