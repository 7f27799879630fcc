# expect: reject
# hint: longer than the model's block
def finetune(model, questions, vocab, config, **options):
    return train(model, NameDataset(questions, vocab, 256), config, **options)
