# expect: reject
# hint: progress, pad and tag did not arrive at train: pass **options on to train as they are
def pretrain(model, documents, vocab, config, evaluate=None, resume=None, engine=None, **options):
    return train(model, CharCorruptionDataset(documents, vocab, model.config.block_size), config, evaluate=evaluate, resume=resume, engine=engine)
