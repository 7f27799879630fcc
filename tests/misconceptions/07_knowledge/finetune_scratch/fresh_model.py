# expect: reject
# hint: train it in place
# Trains a model of its own.
def finetune(model, questions, vocab, config, **options):
    fresh = GPT(model.config)
    return train(fresh, NameDataset(questions, vocab, model.config.block_size), config, **options)
