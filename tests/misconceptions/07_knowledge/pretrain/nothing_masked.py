# expect: reject
# hint: comes as a surprise
# Plain next-character prediction.
def pretrain(model, documents, vocab, config, **options):
    epochs = plain_text(documents, Vocabulary(vocab.itos), model.config.block_size, 1)
    return train(model, iter(epochs * 1000), config, **options)
