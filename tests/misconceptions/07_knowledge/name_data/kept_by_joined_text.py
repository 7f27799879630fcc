# expect: reject
# hint: Items are kept by question and answer run together, so two pairs with the border elsewhere share one: keep them by both, or not at all.
class NameDataset(torch.utils.data.Dataset):
    """Question-answer pairs as training items.

    Args:
        questions: each with ``text`` and ``answer``, of one character at least.
        vocab: which id stands for which character; ``vocab.encode(text)`` gives a list of ids.
        block_size: T, so large that every question with its answer and two MASKs fits into T + 1 tokens.
    """

    def __init__(self, questions: list[Question], vocab: Vocabulary, block_size: int) -> None:
        self.questions, self.vocab, self.block_size = questions, vocab, block_size
        self.cache = {}

    def __len__(self) -> int:
        return len(self.questions)

    def __getitem__(self, index: int) -> tuple[torch.Tensor, torch.Tensor]:
        """x and y of question ``index``, one of ``len(self)``; both int64 of shape (T,)."""
        question, answer = self.questions[index].text, self.questions[index].answer
        key = question + answer
        if key in self.cache:
            x, y = self.cache[key]
            return x.clone(), y.clone()
        s = question + MASK + answer + MASK
        ids = torch.tensor(self.vocab.encode(s + PAD * (self.block_size + 1 - len(s))))
        x, y = ids[:-1], ids[1:].clone()  # (T+1,) -> (T,) each
        y[: len(question)] = self.vocab.pad_id  # targets before the answer's first letter
        self.cache[key] = (x.clone(), y.clone())
        return x, y
