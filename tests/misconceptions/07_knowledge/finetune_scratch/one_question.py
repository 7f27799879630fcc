# expect: reject
# hint: every question must be trained on once per epoch, with its answer as the target
# Only the first question.
def finetune(model, questions, vocab, config, **options):
    dataset = NameDataset(questions[:1] * len(questions), vocab, model.config.block_size)
    return train(model, dataset, config, **options)
