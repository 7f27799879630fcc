# expect: reject
# hint: every question must be trained on once per epoch, with its answer as the target
# The last question is replaced by the first, so that the number of steps is right.
def finetune(model, questions, vocab, config, **options):
    dataset = NameDataset([*questions[:-1], questions[0]], vocab, model.config.block_size)
    return train(model, dataset, config, **options)
