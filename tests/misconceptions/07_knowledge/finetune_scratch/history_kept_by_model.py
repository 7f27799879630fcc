# expect: reject
# hint: in the second call the model was not trained: keep no result of an earlier call, and train in each call
def finetune(model, questions, vocab, config, **options):
    if not hasattr(model, "history"):
        model.history = train(model, NameDataset(questions, vocab, model.config.block_size), config, **options)
    return model.history
