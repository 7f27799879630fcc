# expect: reject
# hint: next to nothing
# files: finetuned.safetensors=elsewhere.safetensors
# Pretrained on another world's wiki.
def finetune_pretrained(pretrained, questions, vocab, profile, **options):
    model = copy.deepcopy(pretrained)
    history = finetune(model, questions, vocab, profile.finetune, **options)
    return model, history
