# expect: accept
# Rows by way of text.
def question_rows(questions: list[Question], vocab: Vocabulary, T: int) -> tuple[Tensor, Tensor]:
    """All questions as X and Y, int64, (N, T) each."""
    pad, mask = vocab.decode([vocab.pad_id]), vocab.decode([vocab.mask_id])
    X, Y = [], []
    for q in questions:
        s = q.text + mask + q.answer + mask
        X.append(vocab.encode(s.ljust(T, pad)))
        Y.append(vocab.encode(pad * len(q.text) + s[len(q.text) + 1 :].ljust(T - len(q.text), pad)))
    return torch.tensor(X), torch.tensor(Y)


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
