# expect: reject
# hint: The new model is a model with a copy of the base and a fresh head, both used in its forward pass.
class Part:
    def __init__(self, items, trained):
        self.items = [(n, nn.Parameter(p.detach().clone(), requires_grad=trained)) for n, p in items]

    def named_parameters(self):
        return self.items

    def parameters(self):
        return [p for _, p in self.items]


class Fake:
    def __init__(self, old, n_classes, frozen):
        self.base = Part(old.base.named_parameters(), not frozen)
        self.head = Part(nn.Linear(old.head.in_features, n_classes).named_parameters(), True)

    def named_parameters(self):
        return [("base." + n, p) for n, p in self.base.items] + [("head." + n, p) for n, p in self.head.items]

    def parameters(self):
        return self.base.parameters() + self.head.parameters()


def transfer(pretrained, n_classes, frozen=False):
    return Fake(pretrained, n_classes, frozen)
