# expect: reject
# hint: is missing
# files: test_predictions.txt=nothing
# No predictions.
def finetune_pretrained(pretrained, questions, vocab, profile, **options):
    model = copy.deepcopy(pretrained)
    history = finetune(model, questions, vocab, profile.finetune, **options)
    return model, history
