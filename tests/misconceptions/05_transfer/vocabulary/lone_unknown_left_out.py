# expect: reject
# hint: a text of one unknown piece is written as `<unk>`, not as nothing
class Pieces:
    def __init__(self, pieces):
        self.names = ["<pad>", "<sos>", "<eos>", "<unk>", *pieces]
        self.table = {p: i for i, p in enumerate(self.names) if i > 3}

    def __len__(self):
        return len(self.names)

    def encode(self, text):
        return list(map(lambda p: self.table.get(p, UNK), filter(None, text.split(" "))))

    def decode(self, ids):
        return " ".join(self.names[i] for i in ids if i > 3 or (i == UNK and len(ids) > 1))
