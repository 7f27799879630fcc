# expect: reject
# hint: does not know where people of this wiki were born
# files: pretrained.safetensors=elsewhere.safetensors
# Another world's facts.
def pretrain(model, documents, vocab, config, **options):
    dataset = CharCorruptionDataset(documents, vocab, model.config.block_size)
    return train(model, dataset, config, **options)
