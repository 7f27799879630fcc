# expect: reject
# hint: must be answered
# Only the first question.
def finetune(model, questions, vocab, config, **options):
    dataset = NameDataset(questions[:1] * len(questions), vocab, model.config.block_size)
    return train(model, dataset, config, **options)
