# expect: reject
# hint: not what finetuned.safetensors answers
# files: test_predictions.txt=of_another_model.txt
# Predictions of another model.
def finetune_pretrained(pretrained, questions, vocab, profile, **options):
    model = copy.deepcopy(pretrained)
    history = finetune(model, questions, vocab, profile.finetune, **options)
    return model, history
