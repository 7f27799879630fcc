# expect: reject
# hint: the history that came back has not one accuracy for each epoch: pass **options on to train as they are, and return what it gives
def finetune(model, questions, vocab, config, **options):
    told = train(model, NameDataset(questions, vocab, model.config.block_size), config, **options)
    return History(told.loss, [], told.seconds)
