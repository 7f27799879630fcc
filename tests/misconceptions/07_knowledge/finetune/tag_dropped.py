# expect: reject
# hint: tag and resume did not arrive
def finetune_pretrained(pretrained, questions, vocab, profile, **options):
    model = copy.deepcopy(pretrained)
    options.pop("tag", None)
    return model, finetune(model, questions, vocab, profile.finetune, **options)
