# expect: reject
# hint: size of no profile
# files: pretrained.safetensors=larger.safetensors
# A larger model.
def pretrain(model, documents, vocab, config, **options):
    dataset = CharCorruptionDataset(documents, vocab, model.config.block_size)
    return train(model, dataset, config, **options)
