# expect: accept
# Dataset, then train.
def finetune(model, questions, vocab, config, **options):
    dataset = NameDataset(questions, vocab, model.config.block_size)
    return train(model, dataset, config, **options)
