# expect: reject
# hint: what profile.finetune asks for
# Settings of its own.
def finetune_pretrained(pretrained, questions, vocab, profile, **options):
    model = copy.deepcopy(pretrained)
    history = finetune(model, questions, vocab, TrainConfig(batch_size=16, epochs=1, lr=profile.finetune.lr), **options)
    return model, history
