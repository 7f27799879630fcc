# expect: accept
# In one line.
def finetune(model, questions, vocab, config, **options):
    return train(model, NameDataset(questions, vocab, model.config.block_size), config, **options)
