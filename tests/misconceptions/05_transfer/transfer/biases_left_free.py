# expect: reject
# hint: With frozen=True every weight of the base must keep its value: requires_grad_(False) for all of them.
def transfer(pretrained: nn.Module, n_classes: int, frozen: bool = False) -> nn.Module:
    model = copy.deepcopy(pretrained)
    model.head = nn.Linear(pretrained.head.in_features, n_classes)
    for n, p in model.base.named_parameters():
        if "bias" not in n:
            p.requires_grad = not frozen
    return model
