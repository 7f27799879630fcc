# expect: accept
# Epochs as tensors.
def finetune(model, questions, vocab, config, **options):
    dataset = NameDataset(questions, vocab, model.config.block_size)
    X, Y = (torch.stack(column) for column in zip(*[dataset[i] for i in range(len(dataset))]))
    return train(model, iter([(X, Y)] * config.epochs), config, **options)
