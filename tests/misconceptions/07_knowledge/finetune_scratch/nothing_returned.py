# expect: reject
# hint: return the History that train gives
# Forgets the history.
def finetune(model, questions, vocab, config, **options):
    dataset = NameDataset(questions, vocab, model.config.block_size)
    train(model, dataset, config, **options)
