# expect: reject
# hint: progress did not arrive at train: pass **options on to train as they are
def finetune(model, questions, vocab, config, **options):
    options["progress"] = True
    return train(model, NameDataset(questions, vocab, model.config.block_size), config, **options)
