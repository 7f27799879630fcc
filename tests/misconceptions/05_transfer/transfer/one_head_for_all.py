# expect: reject
# hint: Each new model has a head of its own: make it inside the function.
_HEADS = {}


def transfer(pretrained, n_classes, frozen=False):
    model = copy.deepcopy(pretrained)
    key = (pretrained.head.in_features, n_classes)
    model.head = _HEADS.setdefault(key, nn.Linear(*key))
    model.base.requires_grad_(not frozen)
    return model
