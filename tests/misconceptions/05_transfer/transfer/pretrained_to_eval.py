# expect: reject
# hint: the pretrained model must stay as it is, its mode too: put nothing of it into evaluation mode
def transfer(pretrained, n_classes, frozen=False):
    pretrained.eval()
    model = copy.deepcopy(pretrained)
    model.head = nn.Linear(pretrained.head.in_features, n_classes)
    model.base.requires_grad_(not frozen)
    return model
