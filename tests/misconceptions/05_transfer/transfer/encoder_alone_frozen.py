# expect: reject
# hint: The embedding belongs to the base too: frozen means all of base.parameters().
def transfer(pretrained, n_classes, frozen=False):
    model = copy.deepcopy(pretrained)
    model.head = nn.Linear(pretrained.head.in_features, n_classes)
    if frozen:
        model.base.encoder.requires_grad_(False)
    return model
