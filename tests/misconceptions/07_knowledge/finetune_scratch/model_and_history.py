# expect: reject
# hint: return the history alone
def finetune(model, questions, vocab, config, **options):
    history = train(model, NameDataset(questions, vocab, model.config.block_size), config, **options)
    return model, history
