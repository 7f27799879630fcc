# expect: reject
# hint: train it in place
# Trains a copy.
def finetune(model, questions, vocab, config, **options):
    return train(copy.deepcopy(model), NameDataset(questions, vocab, model.config.block_size), config, **options)
