# expect: reject
# hint: below the first MASK of x, y must have the answer's first letter, and at its end the MASK that closes it
# The target is the input.
def question_rows(questions: list[Question], vocab: Vocabulary, T: int) -> tuple[Tensor, Tensor]:
    """All questions as X and Y, int64, (N, T) each."""
    X = torch.full((len(questions), T), vocab.pad_id)
    Y = torch.full((len(questions), T), vocab.pad_id)
    for x, y, q in zip(X, Y, questions, strict=True):
        asked, told = vocab.encode(q.text), vocab.encode(q.answer)
        s = torch.tensor([*asked, vocab.mask_id, *told, vocab.mask_id])
        x[: len(s)] = s[:T]
        y[len(asked) + 1 : len(s)] = s[len(asked) + 1 :]
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
    before = train(model, source, profile.pretrain, **options)
    return before, train(model, iter([rows] * profile.finetune.epochs), profile.finetune, **options)
