# expect: reject
# hint: must be answered
# Learns questions instead of answers.
def finetune(model, questions, vocab, config, **options):
    swapped = [Question(q.answer, q.text) for q in questions]
    return train(model, NameDataset(swapped, vocab, model.config.block_size), config, **options)
