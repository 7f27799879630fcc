# expect: reject
# hint: evaluate was not asked after every epoch: pass **options on to train as they are
# Looks never.
def finetune(model, questions, vocab, config, **options):
    dataset = NameDataset(questions, vocab, model.config.block_size)
    return train(model, dataset, config, progress=False)
