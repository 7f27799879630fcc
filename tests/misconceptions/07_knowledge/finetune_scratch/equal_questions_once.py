# expect: reject
# hint: every question must be trained on once per epoch, with its answer as the target
def finetune(model, questions, vocab, config, **options):
    different = list({q.text: q for q in questions}.values())
    return train(model, NameDataset(different, vocab, model.config.block_size), config, **options)
