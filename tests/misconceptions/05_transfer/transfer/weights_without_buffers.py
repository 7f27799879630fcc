# expect: reject
# hint: The base's states are not those of the pretrained model: copy all of it, weights and buffers, and do not begin anew.
def transfer(pretrained, n_classes, frozen=False):
    model = copy.deepcopy(pretrained)
    for name, value in list(model.base.named_buffers()):
        model.base.get_buffer(name).zero_()
    model.head = nn.Linear(pretrained.head.in_features, n_classes)
    model.base.requires_grad_(not frozen)
    return model
