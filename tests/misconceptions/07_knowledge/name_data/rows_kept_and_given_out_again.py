# expect: reject
# hint: The same arguments give the same result, however often it is asked for: what the caller does with x and y must not change the next answer.
class NameDataset(torch.utils.data.Dataset):
    def __init__(self, questions: list[Question], vocab: Vocabulary, block_size: int) -> None:
        self.questions, self.vocab, self.block_size = questions, vocab, block_size
        self.rows = {}

    def __len__(self) -> int:
        return len(self.questions)

    def __getitem__(self, index: int) -> tuple[torch.Tensor, torch.Tensor]:
        if index in self.rows:
            return self.rows[index]
        q = self.questions[index]
        s = q.text + MASK + q.answer + MASK
        s += PAD * (self.block_size + 1 - len(s))
        ids = torch.tensor(self.vocab.encode(s))
        x, y = ids[:-1], ids[1:].clone()
        y[: len(q.text)] = self.vocab.encode(PAD)[0]
        self.rows[index] = x, y
        return x, y
