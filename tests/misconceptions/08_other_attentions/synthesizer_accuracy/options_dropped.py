# expect: reject
# hint: the options do not reach train: pass **options on in both calls
# The options are swallowed.
def question_rows(questions: list[Question], vocab: Vocabulary, T: int) -> tuple[Tensor, Tensor]:
    """All questions as X and Y, int64, (N, T) each."""
    X = torch.full((len(questions), T), vocab.pad_id)
    Y = torch.full((len(questions), T), vocab.pad_id)
    for i, q in enumerate(questions):
        a, b = vocab.encode(q.text), vocab.encode(q.answer)
        s = a + [vocab.mask_id] + b + [vocab.mask_id]
        X[i, : len(s)] = torch.tensor(s)
        Y[i, len(a) : len(a) + len(b) + 1] = torch.tensor(b + [vocab.mask_id])
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
    first = train(model, source, profile.pretrain)
    X, Y = question_rows(questions, vocab, model.config.block_size)
    second = train(model, ((X, Y) for _ in range(profile.finetune.epochs)), profile.finetune)
    return first, second
