# expect: reject
# hint: the weights are not what config leads to: pass the config on to train as it is, with its rate, batch size and seed
# Half of the learning rate.
def pretrain(model, documents, vocab, config, **options):
    from dataclasses import replace

    dataset = CharCorruptionDataset(documents, vocab, model.config.block_size)
    return train(model, dataset, replace(config, lr=config.lr / 2), **options)
