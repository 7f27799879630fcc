# expect: reject
# hint: tag and resume did not arrive
def finetune(model, questions, vocab, config, **options):
    options.pop("resume", None)
    return train(model, NameDataset(questions, vocab, model.config.block_size), config, **options)
