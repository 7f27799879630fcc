# expect: reject
# hint: comes as a surprise
# files: pretrained.safetensors=scratch.safetensors
# Finetuned from scratch.
def pretrain(model, documents, vocab, config, **options):
    dataset = CharCorruptionDataset(documents, vocab, model.config.block_size)
    return train(model, dataset, config, **options)
