# expect: accept
def finetune(model: GPT, questions: list[Question], vocab: Vocabulary, config: TrainConfig, **options) -> History:
    T = model.config.block_size
    history = train(model=model, source=NameDataset(questions=questions, vocab=vocab, block_size=T), config=config, **options)
    return history
