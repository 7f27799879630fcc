# expect: reject
# hint: With frozen=True every weight of the base must keep its value: requires_grad_(False) for all of them.
def transfer(pretrained, n_classes, frozen=False):
    model = copy.deepcopy(pretrained)
    old = pretrained.head
    fresh = nn.Linear(old.in_features, n_classes, device=old.weight.device, dtype=old.weight.dtype)
    setattr(model, "head", fresh)
    for parameter in [p for n, p in model.base.named_parameters() if not n.startswith("embedding")]:
        parameter.requires_grad = not frozen
        parameter.grad = None
    return model
