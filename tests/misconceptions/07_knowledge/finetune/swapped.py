# expect: reject
# hint: return two things: the finetuned model and its history
# The history first.
def finetune_pretrained(pretrained, questions, vocab, profile, **options):
    model = copy.deepcopy(pretrained)
    return finetune(model, questions, vocab, profile.finetune, **options), model
