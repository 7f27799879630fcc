# expect: reject
# hint: no header
# files: test_predictions.txt=with_header.txt
# A header line.
def finetune_pretrained(pretrained, questions, vocab, profile, **options):
    model = copy.deepcopy(pretrained)
    history = finetune(model, questions, vocab, profile.finetune, **options)
    return model, history
