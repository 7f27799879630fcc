# expect: reject
# hint: the head is as wide as the base's states: take pretrained.head.in_features
def transfer(pretrained, n_classes, frozen=False):
    model = copy.deepcopy(pretrained)
    model.head = nn.Linear(64, n_classes)
    model.base.requires_grad_(not frozen)
    return model
