# expect: reject
# hint: train was not called with all options: pass **options on to train as they are
# The weights are moved by noise, and a history of the right length is written down.
def pretrain(model, documents, vocab, config, **options):
    with torch.no_grad():
        for parameter in model.parameters():
            parameter += 0.01 * torch.randn(parameter.shape)
    return History(loss=[1.0] * config.steps, accuracy=[1.0])
