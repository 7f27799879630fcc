# expect: accept
def pretrain(model, documents, vocab, config, *, evaluate=None, pad=0, progress=True, resume=None, tag="", engine=None):
    ds = CharCorruptionDataset(documents, vocab, model.config.block_size)
    return train(model, ds, config, evaluate=evaluate, pad=pad, progress=progress, resume=resume, tag=tag, engine=engine)
