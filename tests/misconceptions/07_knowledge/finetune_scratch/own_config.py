# expect: reject
# hint: the number of steps is not what the data and config passed in ask for: pass the config on to train as it is
# Settings of its own.
def finetune(model, questions, vocab, config, **options):
    own = TrainConfig(batch_size=4, epochs=1, lr=1e-3)
    return train(model, NameDataset(questions, vocab, model.config.block_size), own, **options)
