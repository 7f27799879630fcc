# expect: accept
class NameDataset(torch.utils.data.Dataset):
    def __init__(self, questions: list[Question], vocab: Vocabulary, block_size: int) -> None:
        self.questions, self.vocab, self.block_size = questions, vocab, block_size
        rows = [self._row(q) for q in questions]
        self.xs = torch.tensor([x for x, _ in rows], dtype=torch.long)
        self.ys = torch.tensor([y for _, y in rows], dtype=torch.long)

    def __len__(self) -> int:
        return len(self.questions)

    def __getitem__(self, index: int) -> tuple[torch.Tensor, torch.Tensor]:
        return self.xs[index].clone(), self.ys[index].clone()

    def _row(self, q):
        given, said = q.text + MASK, q.answer + MASK
        tail = PAD * (self.block_size + 1 - len(given) - len(said))
        hidden = PAD * (len(given) - 1) + said + tail
        return self.vocab.encode((given + said + tail)[:-1]), self.vocab.encode(hidden)
