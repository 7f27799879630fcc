# expect: accept
def transfer(pretrained: nn.Module, n_classes: int, frozen: bool = False) -> nn.Module:
    head, pretrained_head = nn.Linear(pretrained.head.in_features, n_classes), pretrained.head
    pretrained.head = head
    model = copy.deepcopy(pretrained)
    pretrained.head = pretrained_head
    for name, parameter in model.named_parameters():
        if frozen and name.startswith("base."):
            parameter.requires_grad = False
    return model
