# expect: reject
# hint: every question must be trained on once per epoch, with its answer as the target
# Learns questions instead of answers.
def finetune(model, questions, vocab, config, **options):
    swapped = [Question(q.answer, q.text) for q in questions]
    return train(model, NameDataset(swapped, vocab, model.config.block_size), config, **options)
