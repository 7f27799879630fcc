# expect: reject
# hint: The base's states are not those of the pretrained model: copy all of it, weights and buffers, and do not begin anew.
def transfer(pretrained: nn.Module, n_classes: int, frozen: bool = False) -> nn.Module:
    def fresh(module: nn.Module) -> None:
        if isinstance(module, nn.Linear):
            nn.init.xavier_uniform_(module.weight)

    model = copy.deepcopy(pretrained)
    model.head = nn.Linear(pretrained.head.in_features, n_classes)
    model.apply(fresh)
    model.base.requires_grad_(not frozen)
    return model
