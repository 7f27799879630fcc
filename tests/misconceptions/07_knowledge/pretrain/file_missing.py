# expect: reject
# hint: is missing
# files: pretrained.safetensors=nothing
# No weights handed in.
def pretrain(model, documents, vocab, config, **options):
    dataset = CharCorruptionDataset(documents, vocab, model.config.block_size)
    return train(model, dataset, config, **options)
