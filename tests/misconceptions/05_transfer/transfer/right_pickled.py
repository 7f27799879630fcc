# expect: accept
import io


def transfer(pretrained, n_classes, frozen=False):
    kept = {name: value.detach().clone() for name, value in pretrained.base.state_dict().items()}
    model = copy.deepcopy(pretrained)
    model.base.load_state_dict(kept)
    width = model.head.weight.shape[-1]
    setattr(model, "head", nn.Linear(width, n_classes))
    if frozen:
        [p.requires_grad_(False) for p in model.base.parameters()]
    return model.train()
