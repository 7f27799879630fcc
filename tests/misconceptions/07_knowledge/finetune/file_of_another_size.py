# expect: reject
# hint: size of no profile
# files: finetuned.safetensors=larger.safetensors
# A larger model.
def finetune_pretrained(pretrained, questions, vocab, profile, **options):
    model = copy.deepcopy(pretrained)
    history = finetune(model, questions, vocab, profile.finetune, **options)
    return model, history
