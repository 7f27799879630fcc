# expect: reject
# hint: The copy has lost its dropout: in training mode it must compute as the pretrained base does.
def transfer(pretrained, n_classes, frozen=False):
    model = copy.deepcopy(pretrained)
    old = pretrained.head
    fresh = nn.Linear(old.in_features, n_classes, device=old.weight.device, dtype=old.weight.dtype)
    setattr(model, "head", fresh)
    for parameter in model.base.parameters():
        parameter.requires_grad = not frozen
        parameter.grad = None
    for m in model.modules():
        if isinstance(m, nn.Dropout): m.p = 0.0
    return model
