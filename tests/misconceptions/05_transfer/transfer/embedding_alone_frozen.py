# expect: reject
# hint: The embedding alone is frozen: with frozen=True all weights of the base stay.
def transfer(pretrained: nn.Module, n_classes: int, frozen: bool = False) -> nn.Module:
    model = copy.deepcopy(pretrained)
    model.head = nn.Linear(pretrained.head.in_features, n_classes)
    model.base.embedding.requires_grad_(not frozen)
    return model
