# expect: reject
# hint: more questions than the notebook has are all trained on
def finetune(model, questions, vocab, config, **options):
    data = NameDataset(questions[:150], vocab, model.config.block_size)
    return train(config=config, source=data, model=model, **options)
