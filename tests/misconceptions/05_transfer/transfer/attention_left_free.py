# expect: reject
# hint: With frozen=True every weight of the base must keep its value: requires_grad_(False) for all of them.
def transfer(pretrained: nn.Module, n_classes: int, frozen: bool = False) -> nn.Module:
    model = copy.deepcopy(pretrained)
    model.head = nn.Linear(pretrained.head.in_features, n_classes)
    model.base.requires_grad_(not frozen)
    for n, p in model.base.named_parameters():
        if "in_proj" in n:
            p.requires_grad_(True)
    return model
