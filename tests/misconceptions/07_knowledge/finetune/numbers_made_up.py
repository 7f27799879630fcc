# expect: reject
# hint: train was not called with all options: pass **options on to train as they are
# Noise in place of a training, and a history of the right length.
def finetune_pretrained(pretrained, questions, vocab, profile, **options):
    model, config = copy.deepcopy(pretrained), profile.finetune
    with torch.no_grad():
        for parameter in model.parameters():
            parameter += config.lr * torch.randn(parameter.shape)
    steps = config.epochs * -(-len(questions) // config.batch_size)
    return model, History(loss=[1.0] * steps, accuracy=[1.0] * config.epochs)
