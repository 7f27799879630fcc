# expect: reject
# hint: the history that came back has not one accuracy for each epoch: pass **options on to train as they are, and return what it gives
# Looks never.
def finetune(model, questions, vocab, config, **options):
    dataset = NameDataset(questions, vocab, model.config.block_size)
    return train(model, dataset, config, progress=False)
