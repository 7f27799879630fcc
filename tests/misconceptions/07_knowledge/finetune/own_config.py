# expect: reject
# hint: the number of steps is not what the data and config passed in ask for: pass profile.finetune on as it is, and return the model that was trained
# Settings of its own.
def finetune_pretrained(pretrained, questions, vocab, profile, **options):
    model = copy.deepcopy(pretrained)
    history = finetune(model, questions, vocab, TrainConfig(batch_size=16, epochs=1, lr=profile.finetune.lr), **options)
    return model, history
