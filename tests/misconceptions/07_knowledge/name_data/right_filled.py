# expect: accept
# A block of PAD is filled.
class NameDataset(torch.utils.data.Dataset):
    def __init__(self, questions, vocab, block_size):
        self.questions, self.vocab, self.block_size = questions, vocab, block_size

    def __len__(self):
        return len(self.questions)

    def __getitem__(self, index):
        question = self.questions[index]
        ids = torch.zeros(self.block_size + 1, dtype=torch.long)
        text = question.text + MASK + question.answer + MASK
        ids[: len(text)] = torch.tensor(self.vocab.encode(text))
        where = torch.arange(self.block_size)
        return ids[:-1], torch.where(where < len(question.text), 0, ids[1:])
