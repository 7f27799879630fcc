# expect: reject
# hint: letters stay as they are: do not normalise accents
# Unicode normalised.
class NameDataset(torch.utils.data.Dataset):
    def __init__(self, questions, vocab, block_size):
        self.questions, self.vocab, self.block_size = questions, vocab, block_size

    def __len__(self):
        return len(self.questions)

    def __getitem__(self, index):
        import unicodedata
        q, a = self.questions[index].text, self.questions[index].answer
        q = "".join(c for c in unicodedata.normalize("NFD", q) if not unicodedata.combining(c))
        s = q + MASK + a + MASK
        ids = torch.tensor(self.vocab.encode(s + PAD * (self.block_size + 1 - len(s)), unknown="drop"))
        x, y = ids[:-1], ids[1:].clone()
        y[: len(q)] = 0
        return x, y
