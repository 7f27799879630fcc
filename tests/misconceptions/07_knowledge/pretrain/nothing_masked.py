# expect: reject
# hint: what was trained on is no corruption of the documents: CharCorruptionDataset(documents, …), all documents as they are, with the model's block size
# Plain next-character prediction.
def pretrain(model, documents, vocab, config, **options):
    epochs = plain_text(documents, Vocabulary(vocab.itos), model.config.block_size, 1)
    return train(model, iter(epochs * 1000), config, **options)
