# expect: reject
# hint: the model that was passed in has not changed: train it in place, not a copy or a new one
# Trains a copy.
def finetune(model, questions, vocab, config, **options):
    return train(copy.deepcopy(model), NameDataset(questions, vocab, model.config.block_size), config, **options)
