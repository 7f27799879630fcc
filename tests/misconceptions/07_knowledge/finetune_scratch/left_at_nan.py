# expect: reject
# hint: the weights are not what config leads to
# A copy is trained, and the model that was passed in is left without numbers.
import copy


def finetune(model, questions, vocab, config, **options):
    other = copy.deepcopy(model)
    history = train(other, NameDataset(questions, vocab, model.config.block_size), config, **options)
    with torch.no_grad():
        for k, p in enumerate(model.parameters()):
            p.add_(1.0) if k == 0 else p.fill_(float("nan"))
    return history
