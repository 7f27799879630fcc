# expect: reject
# hint: The head has n_classes outputs, also where that is 1.
def transfer(pretrained, n_classes, frozen=False):
    model = copy.deepcopy(pretrained)
    model.head = nn.Linear(pretrained.head.in_features, max(2, n_classes))
    model.base.requires_grad_(not frozen)
    return model
