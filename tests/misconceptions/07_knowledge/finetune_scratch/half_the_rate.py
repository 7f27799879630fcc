# expect: reject
# hint: the weights are not what config leads to: pass the config on to train as it is, with its rate, batch size and seed
# Another learning rate than config has.
def finetune(model, questions, vocab, config, **options):
    own = TrainConfig(batch_size=config.batch_size, epochs=config.epochs, lr=config.lr / 2, weight_decay=0.0, seed=config.seed)
    return train(model, NameDataset(questions, vocab, model.config.block_size), own, **options)
