# expect: reject
# hint: With frozen=True every weight of the base must keep its value: requires_grad_(False) for all of them.
def transfer(pretrained, n_classes, frozen=False):
    model = copy.deepcopy(pretrained)
    model.head = nn.Linear(pretrained.head.in_features, n_classes)
    if frozen:
        model.base.encoder.requires_grad_(False)
    return model
