# expect: reject
# hint: the weights are not what config leads to: pass profile.finetune on as it is, and return the model that was trained
# A smaller rate than the profile's.
def finetune_pretrained(pretrained, questions, vocab, profile, **options):
    from dataclasses import replace

    model = copy.deepcopy(pretrained)
    return model, finetune(model, questions, vocab, replace(profile.finetune, lr=profile.finetune.lr / 3), **options)
