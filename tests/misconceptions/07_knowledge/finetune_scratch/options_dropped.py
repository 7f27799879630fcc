# expect: reject
# hint: pass **options on
# Looks never.
def finetune(model, questions, vocab, config, **options):
    dataset = NameDataset(questions, vocab, model.config.block_size)
    return train(model, dataset, config, progress=False)
