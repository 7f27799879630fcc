# expect: accept
# numpy for the ids, a NamedTuple for the pair.
from typing import NamedTuple


class Item(NamedTuple):
    x: torch.Tensor
    y: torch.Tensor


class NameDataset(torch.utils.data.Dataset):
    def __init__(self, questions, vocab, block_size):
        self.questions, self.vocab, self.block_size = questions, vocab, block_size

    def __len__(self):
        return len(self.questions)

    def __getitem__(self, index):
        question = self.questions[index]
        s = np.zeros(self.block_size + 1, dtype=np.int64)
        ids = self.vocab.encode(question.text + MASK + question.answer + MASK)
        s[: len(ids)] = ids
        y = s[1:].copy()
        y[: len(question.text)] = 0
        return Item(torch.from_numpy(s[:-1].copy()), torch.from_numpy(y))
