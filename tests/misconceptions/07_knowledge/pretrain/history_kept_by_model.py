# expect: reject
# hint: in the second call the model was not trained: keep no result of an earlier call, and train in each call
def pretrain(model, documents, vocab, config, **options):
    if not hasattr(model, "history"):
        model.history = train(model, CharCorruptionDataset(documents, vocab, model.config.block_size), config, **options)
    return model.history
