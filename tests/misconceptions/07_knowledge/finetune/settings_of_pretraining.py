# expect: reject
# hint: that was trained too long, with the settings for another case: after pretraining take profile.finetune
# The settings of pretraining.
def finetune_pretrained(pretrained, questions, vocab, profile, **options):
    model = copy.deepcopy(pretrained)
    return model, finetune(model, questions, vocab, profile.pretrain, **options)
