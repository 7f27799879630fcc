# expect: reject
# hint: truncated
# files: pretrained.safetensors=cut_off.safetensors
# Half a file.
def pretrain(model, documents, vocab, config, **options):
    dataset = CharCorruptionDataset(documents, vocab, model.config.block_size)
    return train(model, dataset, config, **options)
