# expect: accept
def finetune(model, questions, vocab, config, **options):
    dataset = NameDataset(questions, vocab, model.config.block_size)
    everything = torch.utils.data.Subset(dataset, range(len(questions)))
    return train(model, everything, config, **options)
