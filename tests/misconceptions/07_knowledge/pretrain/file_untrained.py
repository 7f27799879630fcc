# expect: reject
# hint: comes as a surprise
# files: pretrained.safetensors=blank.safetensors
# Fresh weights handed in.
def pretrain(model, documents, vocab, config, **options):
    dataset = CharCorruptionDataset(documents, vocab, model.config.block_size)
    return train(model, dataset, config, **options)
