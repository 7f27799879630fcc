# expect: reject
# hint: Linear layers of the base are drawn anew with the head: draw the head alone.
def transfer(pretrained: nn.Module, n_classes: int, frozen: bool = False) -> nn.Module:
    def fresh(module: nn.Module) -> None:
        if isinstance(module, nn.Linear):
            nn.init.xavier_uniform_(module.weight)

    model = copy.deepcopy(pretrained)
    model.head = nn.Linear(pretrained.head.in_features, n_classes)
    model.apply(fresh)
    model.base.requires_grad_(not frozen)
    return model
