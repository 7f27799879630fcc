# expect: reject
# hint: the pretrained model stays as it is, whatever becomes of the new one, and can be trained as before
def transfer(pretrained, n_classes, frozen=False):
    model = copy.deepcopy(pretrained)
    model.head = nn.Linear(pretrained.head.in_features, n_classes)
    model.base.requires_grad_(not frozen)
    for m, o in zip(model.base.modules(), pretrained.base.modules()):
        for k in o._buffers:
            m._buffers[k] = o._buffers[k]
    return model
