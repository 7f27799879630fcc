# expect: reject
# hint: evaluate did not reach both trainings: pass **options on in both calls of train
# Looks at dev in the finetuning alone.
def question_rows(questions: list[Question], vocab: Vocabulary, T: int) -> tuple[Tensor, Tensor]:
    """All questions as X and Y, int64, (N, T) each."""
    X = torch.full((len(questions), T), vocab.pad_id)
    Y = torch.full((len(questions), T), vocab.pad_id)
    for x, y, q in zip(X, Y, questions, strict=True):
        asked, told = vocab.encode(q.text), vocab.encode(q.answer)
        s = torch.tensor([*asked, vocab.mask_id, *told, vocab.mask_id])
        x[: len(s)] = s[:T]
        y[len(asked) : len(s) - 1] = s[len(asked) + 1 :]
    return X, Y


def pretrain_and_finetune(
    model: GPT, source, questions: list[Question], vocab: Vocabulary, profile: Profile, **options
) -> tuple[History, History]:
    """Train the model in place, first on the source, then on the questions; the history of either training.

    Args:
        source: what ``train`` takes: a data set, or an iterator of epochs.
        profile: holds the settings; choose the one for each training.
        options: passed on to both calls of ``train``.
    """
    rows = question_rows(questions, vocab, model.config.block_size)
    quiet = {key: value for key, value in options.items() if key != "evaluate"}
    before = train(model, source, profile.pretrain, **quiet)
    epochs = (rows for _ in range(profile.finetune.epochs))
    after = train(model, epochs, profile.finetune, **options)
    return before, after
